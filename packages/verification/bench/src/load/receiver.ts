import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { serveLocally } from "@disburse/harness/local-server.ts";
import { WrongAnswerError } from "./answers.ts";

/** Opens a merchant's server. Calls `onWebhook` when the head of a webhook arrives. */
export async function startReceiver(
  onWebhook: (transactionId: string, atMs: number) => void,
  answerAfterMs = 0,
) {
  const { url, close } = await serveLocally(async (request, response) => {
    const atMs = performance.now();
    const { transaction_id } = (await json(request)) as { transaction_id: string };
    onWebhook(transaction_id, atMs);
    if (answerAfterMs > 0) await pause(answerAfterMs);
    response.writeHead(200).end();
  });
  return { url: `${url}/webhooks`, close };
}

const lateMs = 30_000;
const expected = new Map<string, (atMs: number) => void>();

/** Opens the receiver of lifecycles: `webhookOf` finds its webhooks. */
export function startLifecycleReceiver() {
  return startReceiver((transactionId, atMs) => expected.get(transactionId)?.(atMs));
}

/** Returns the time when a payout's webhook arrives. Call it before the execute. */
export async function webhookOf(transactionId: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const late = setTimeout(() => {
    reject(
      new WrongAnswerError(`the webhook of ${transactionId} did not arrive within ${lateMs} ms`),
    );
  }, lateMs);
  expected.set(transactionId, resolve);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    expected.delete(transactionId);
  }
}
