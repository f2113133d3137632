import { setTimeout as pause } from "node:timers/promises";
import { type Gateway, postOnce, postUntilAnswered } from "@disburse/faults/payouts/client.ts";
import { createPayments } from "@disburse/faults/payouts/payments.ts";
import type { Recipient } from "@disburse/faults/payouts/recipients.ts";
import type { Random } from "@disburse/harness/random.ts";
import { createLoop, until } from "@disburse/harness/waiting.ts";
import { createGapLog } from "./gap-log.ts";
import { createReader } from "./reader.ts";
import { createRefusals, noAnswer } from "./refusals.ts";

/** Clients that pay through every gateway while engines fail over. */
export type EngineLoad = ReturnType<typeof createEngineLoad>;

/**
 * The interval between new payments at each gateway, regardless of the outcome of earlier ones. A
 * gap then measures how long the platform refuses requests, not how long a client waits.
 */
const newEveryMs = 500;
/** During an outage a payment lasts up to 12 s, the timeout of its first call. */
const underWayMax = 24;
const repeatingPerGateway = 2;
const repeatPauseMaxMs = 800;
const recovery = { timeoutMs: 120_000, everyMs: 50 };

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
  const refusals = createRefusals();
  const gaps = createGapLog(gateways.length);
  let unanswered = 0;

  const { pay, accepted, quoteIds } = createPayments(options);
  const payOnce = (gateway: Gateway, at: number) =>
    pay(async (path, body, key) => {
      const answer = await postOnce(gateway, path, body, key);
      gaps.noteNew(at, answer?.status === 200);
      if (answer?.status === 200) return answer;
      refusals.note("new", answer?.code ?? noAnswer);
      return undefined;
    });
  const payRepeating = (gateway: Gateway) =>
    pay(async (path, body, key) => {
      const repeat = gaps.beginRepeat(path);
      const answer = await postUntilAnswered(gateway, path, body, key, (each) => {
        gaps.noteTry(repeat, each?.code ?? noAnswer);
      });
      gaps.endRepeat(repeat);
      if (answer?.status === 200) return answer;
      if (answer === undefined) unanswered += 1;
      else refusals.note("repeating", answer.code);
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
    quoteIds,
    refusals,
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

/** Starts payments at a constant rate, and limits their number. */
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
