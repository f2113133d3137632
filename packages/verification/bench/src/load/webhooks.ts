import { WrongAnswerError } from "./answers.ts";
import { type Child, startChild } from "./child.ts";
import type { WebhookReceiverCalls } from "./webhook-receiver.ts";

/** A webhook that takes longer is lost. */
const lateMs = 30_000;

/** Starts the receiver, and matches what comes with what is expected. */
export async function receiveWebhooks() {
  const receiver: Child<WebhookReceiverCalls> = startChild("load/webhook-receiver.ts");
  const expected = new Map<string, (atMs: number) => void>();
  const collect = async () => {
    for (;;) {
      for (const { transactionId, atMs } of await receiver.call("take", undefined)) {
        expected.get(transactionId)?.(atMs);
      }
    }
  };
  // Ends with the receiver, which ends with this process.
  collect().catch(() => undefined);
  return {
    address: await receiver.call("listen", undefined),
    /**
     * Resolves with when the webhook of a transaction came first, by the monotonic clock. Call it
     * before the request, for the webhook may come before its answer.
     *
     * @throws {WrongAnswerError} where it does not come in 30 s.
     */
    expect: async (transactionId: string): Promise<number> => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const late = setTimeout(() => {
        reject(new WrongAnswerError(`no webhook of ${transactionId} has come`));
      }, lateMs);
      expected.set(transactionId, resolve);
      try {
        return await promise;
      } finally {
        clearTimeout(late);
        expected.delete(transactionId);
      }
    },
  };
}
