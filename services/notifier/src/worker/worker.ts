import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Notifier } from "../notifier.ts";
import { sweepExpired } from "../store/retention.ts";

/** Retries start this late at most; new events wake the worker at once. */
const pollMs = 200;
/** Figures for people, not for decisions. */
const measureEveryMs = 10_000;
/** Nothing waits for it. */
const sweepEveryMs = 600_000;
/** Attempts take 15 s at most; what is cut off here is made again when its lease ends. */
const drainMs = 20_000;

type Parts = Pick<
  Notifier,
  | "dispatcher"
  | "replayer"
  | "work"
  | "events"
  | "deliveries"
  | "replays"
  | "metrics"
  | "onWake"
  | "onReplay"
>;

/** Runs deliveries until it is stopped; stopping lets attempts under way end. */
export function startWorker(parts: Parts, clock: Clock, log: Log): { stop(): Promise<void> } {
  const { dispatcher, work, metrics } = parts;
  const deliver = startLoop({
    name: "webhook-dispatch",
    everyMs: pollMs,
    run: async () => (await dispatcher.round()) > 0,
    log,
  });
  parts.onWake(deliver.wake);
  const replay = startLoop({
    name: "webhook-replay",
    everyMs: pollMs,
    run: () => parts.replayer.round(),
    log,
  });
  parts.onReplay(replay.wake);
  const measure = startLoop({
    name: "webhook-measure",
    everyMs: measureEveryMs,
    run: async () => {
      metrics.dueCount(await work.dueCount(clock.now()));
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
  return {
    stop: async () => {
      await Promise.all([replay, deliver, measure, sweep].map((loop) => loop.stop()));
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, drainMs);
      await Promise.race([dispatcher.idle(), late.promise]);
      clearTimeout(timer);
    },
  };
}
