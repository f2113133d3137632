import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Notifier } from "../notifier.ts";
import { sweepExpired } from "../store/retention.ts";
import { createPace } from "./pace.ts";

/** Retries start this late at most; what is stored here needs no look. */
const lookEveryMs = 200;
/** Of what other processes store one hears by looking alone. */
const lookEverySharedMs = 100;
/** What comes free in so short a time is filled again in one go. */
const gatherMs = 25;
/** Health is for people and for the next owner. */
const tellEveryMs = 3_000;
/** A wake-up that was lost costs its wait all the same. */
const lookAgainEveryMs = 5_000;
/** Replays have a page a second. */
const replayEveryMs = 200;
/** Figures for people, not for decisions. */
const measureEveryMs = 10_000;
/** Nothing waits for it. */
const sweepEveryMs = 600_000;
/** Attempts take 15 s at most; what is cut off here is made again when its lease ends. */
const drainMs = 20_000;
/** The store is told that this process leaves, or is away: nothing is waited for after this. */
const leaveMs = 3_000;

type Parts = Pick<
  Notifier,
  | "dispatcher"
  | "replayer"
  | "events"
  | "deliveries"
  | "replays"
  | "metrics"
  | "onWake"
  | "onReplay"
>;

/** Runs deliveries until it is stopped; stopping lets attempts under way end. */
export function startWorker(parts: Parts, clock: Clock, log: Log): { stop(): Promise<void> } {
  const { dispatcher, metrics } = parts;
  const deliver = startDelivering(parts, log);
  let isJoined = false;
  const replay = startLoop({
    name: "webhook-replay",
    everyMs: replayEveryMs,
    run: async () => {
      // What a process at this place had before: whoever starts a worker has the place.
      if (!isJoined) await parts.replays.freeLeases(clock.now());
      isJoined = true;
      return parts.replayer.round();
    },
    log,
  });
  parts.onReplay(replay.wake);
  const measure = startLoop({
    name: "webhook-measure",
    everyMs: measureEveryMs,
    run: async () => {
      metrics.measured(await dispatcher.figures());
      return false;
    },
    log,
  });
  const sweep = startLoop({
    name: "webhook-retention",
    everyMs: sweepEveryMs,
    run: () => sweepExpired(parts, clock.now()),
    log,
  });
  const health = startLoop({
    name: "webhook-health",
    everyMs: tellEveryMs,
    run: async () => {
      await dispatcher.tellHealth();
      return false;
    },
    log,
  });
  const order = startLoop({
    name: "webhook-order",
    everyMs: lookAgainEveryMs,
    run: dispatcher.lookAgain,
    log,
  });
  const others = [replay, measure, sweep, health, order];
  return {
    stop: async () => {
      const ended = new AbortController();
      const after = (ms: number) =>
        pause(ms, undefined, { signal: ended.signal }).catch(() => undefined);
      // What is being claimed has begun when its loop has ended.
      const left = deliver.stop().then(() => dispatcher.leave(after(drainMs)));
      const all = Promise.all([left, ...others.map((loop) => loop.stop())]);
      try {
        await Promise.race([all, after(drainMs + leaveMs)]);
      } finally {
        ended.abort();
      }
    },
  };
}

/** Looks for what is due now and then, and claims whenever a slot may be free for it. */
function startDelivering({ dispatcher, onWake }: Parts, log: Log): Loop {
  let lookedAt = Number.NEGATIVE_INFINITY;
  let claimedAt = Number.NEGATIVE_INFINITY;
  let isWanted = true;
  let utilization = performance.eventLoopUtilization();
  const busy = (): number => {
    const before = utilization;
    utilization = performance.eventLoopUtilization();
    return performance.eventLoopUtilization(utilization, before).utilization;
  };
  const pace = createPace(() => performance.now(), busy);
  const loop = startLoop({
    name: "webhook-dispatch",
    everyMs: lookEverySharedMs,
    run: async () => {
      const sinceClaimMs = performance.now() - claimedAt;
      if (sinceClaimMs < gatherMs) await pause(gatherMs - sinceClaimMs);
      const lookMs = dispatcher.isShared() ? lookEverySharedMs : lookEveryMs;
      if (isWanted || performance.now() - lookedAt >= lookMs) {
        isWanted = false;
        lookedAt = performance.now();
        await dispatcher.look();
      }
      claimedAt = performance.now();
      return (await dispatcher.round(pace)) > 0;
    },
    log,
  });
  dispatcher.onWake(loop.wake);
  onWake(() => {
    isWanted = true;
    loop.wake();
  });
  return loop;
}
