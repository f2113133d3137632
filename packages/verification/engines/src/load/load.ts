import { setTimeout as pause } from "node:timers/promises";
import { type Gateway, postOnce, postUntilAnswered } from "@disburse/faults/payouts/client.ts";
import type { Recipient } from "@disburse/faults/payouts/recipients.ts";
import type { Random } from "@disburse/harness/random.ts";
import { createLoop, until } from "@disburse/harness/waiting.ts";
import { createGapLog } from "./gap-log.ts";
import { createReader } from "./reader.ts";

/** Clients that pay through every gateway while engines fail over. */
export type EngineLoad = ReturnType<typeof createEngineLoad>;

type Accepted = { id: string; key: string; body: object; text: string };

/**
 * A new payment starts this often at each gateway, whatever became of earlier ones. So a gap is as
 * long as the platform refuses, and not as long as a client waits for an answer.
 */
const newEveryMs = 500;
/** During an outage a payment lasts up to 12 s, the timeout of its first call. */
const underWayMax = 24;
const repeatingPerGateway = 2;
const repeatPauseMaxMs = 800;
const centsMin = 100;
const centsSpread = 500;
const recovery = { timeoutMs: 120_000, everyMs: 50 };

const noAnswer = "no answer";

/** One try of a request at a gateway. Returns the data of a success. */
type Post = (path: string, body: object, key: string) => Promise<Answered | undefined>;
type Answered = { readonly data: Readonly<Record<string, string>>; readonly text: string };

type EngineLoadOptions = {
  readonly gateways: readonly Gateway[];
  readonly accountId: string;
  readonly recipients: readonly Recipient[];
  readonly random: Random;
  /** Makes the load this many times as slow, for a machine with other work. */
  readonly slack: number;
};

export function createEngineLoad(options: EngineLoadOptions) {
  const { gateways, random, slack } = options;
  const refused = new Map<string, number>();
  const gaps = createGapLog(gateways.length);
  let unanswered = 0;
  const refuse = (code: string) => void refused.set(code, (refused.get(code) ?? 0) + 1);

  const { pay, accepted, quoteIds } = createPayments(options);
  const payOnce = (gateway: Gateway, at: number) =>
    pay(async (path, body, key) => {
      const answer = await postOnce(gateway, path, body, key);
      gaps.noteNew(at, answer?.status === 200);
      if (answer?.status === 200) return answer;
      refuse(`new: ${answer?.code ?? noAnswer}`);
      return undefined;
    });
  const payRepeating = (gateway: Gateway) =>
    pay(async (path, body, key) => {
      const repeat = gaps.beginRepeat();
      const answer = await postUntilAnswered(gateway, path, body, key, (each) => {
        repeat.codes.push(each?.code ?? noAnswer);
      });
      gaps.endRepeat(repeat);
      if (answer?.status === 200) return answer;
      if (answer === undefined) unanswered += 1;
      else refuse(`repeating: ${answer.code}`);
      return undefined;
    });

  const clients = gateways.flatMap((gateway, at) => [
    createNewPayments(() => payOnce(gateway, at), newEveryMs * slack),
    createLoop(async () => {
      await payRepeating(gateway);
      await pause(random.below(repeatPauseMaxMs * slack));
    }, repeatingPerGateway),
  ]);
  const reader = createReader({ gateways, accepted, random, slack });
  return {
    start: () => {
      for (const each of [...clients, reader]) each.start();
    },
    drain: async () => {
      await Promise.all([...clients, reader].map((each) => each.drain()));
    },
    accepted,
    quoteIds: quoteIds as readonly string[],
    refused: refused as ReadonlyMap<string, number>,
    unanswered: () => unanswered,
    gaps,
    reader,
    /** Waits until each gateway serves again and the requests repeated until now are answered. */
    recovered: async (): Promise<boolean> => {
      const now = performance.now();
      return until(() => gaps.hasRecoveredSince(now), recovery);
    },
  };
}

/** Creates quotes and executes them. Remembers what was accepted. */
function createPayments({ accountId, recipients, random }: EngineLoadOptions) {
  const accepted: Accepted[] = [];
  const quoteIds: string[] = [];
  const pay = async (post: Post): Promise<void> => {
    const { id, currency } = random.pick(recipients);
    const cents = String(centsMin + random.below(centsSpread));
    const quote = {
      source_amount: `${cents.slice(0, -2)}.${cents.slice(-2)}`,
      source_currency_code: "USD",
      destination_currency_code: currency,
      beneficiary_id: id,
      account_id: accountId,
    };
    const quoted = await post("/transfer/rfq", quote, crypto.randomUUID());
    if (quoted === undefined) return;
    quoteIds.push(quoted.data.id ?? "");
    const key = crypto.randomUUID();
    const body = { quote_id: quoted.data.id, reference_id: `order-${key}` };
    const paid = await post("/transfer/execute", body, key);
    if (paid !== undefined) accepted.push({ id: paid.data.id ?? "", key, body, text: paid.text });
  };
  return { pay, accepted, quoteIds };
}

/** Starts payments at a constant rate, and limits how many are under way. */
function createNewPayments(payOnce: () => Promise<void>, everyMs: number) {
  const underWay = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  const begin = () => {
    if (underWay.size >= underWayMax) return;
    const payment = payOnce().finally(() => underWay.delete(payment));
    underWay.add(payment);
  };
  return {
    start: () => {
      timer ??= setInterval(begin, everyMs);
    },
    drain: async () => {
      clearInterval(timer);
      timer = undefined;
      await Promise.all(underWay);
    },
  };
}
