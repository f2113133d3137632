import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { timerMs } from "./timer.ts";

/** Background work with a lifetime: a sweep, a relay, a worker. */
export type Loop = {
  /** Runs again as soon as the present run ends. */
  wake(): void;
  /** Does not rest: there will be something to do. */
  stir(): void;
  /** Stops after the present run. */
  stop(): Promise<void>;
};

/** What a loop runs, and how often. */
export type LoopOptions = {
  readonly name: string;
  /** The pause after a run that found nothing more to do, or failed. */
  readonly everyMs: number;
  /** The pause instead, where for 10 s no run found more and nothing woke or stirred the loop. */
  readonly restMs?: number;
  /** One run; answers whether there is more to do at once. An error is logged and retried. */
  readonly run: () => Promise<boolean>;
  readonly log: Log;
};

/** Counts the runs of one loop. */
type RunCounter = { readonly succeeded: () => void; readonly failed: () => void };

/** The loops of a service log to its own log, by which their runs are counted. */
const counters = new WeakMap<Log, (loop: string, everyMs: number) => RunCounter>();

/** Shows the loops that are started with this log in its service's metrics. */
export function showLoops(
  log: Log,
  metrics: Pick<Metrics, "counter" | "gauge" | "measured">,
): void {
  const failures = metrics.counter(
    "disburse_loop_failures_total",
    "Runs of background work that failed, by loop.",
    ["loop"],
  );
  const succeededAt = new Map<string, number>();
  metrics.measured(
    "disburse_loop_last_success_timestamp_seconds",
    "When a run of the loop last succeeded, or the loop started.",
    ["loop"],
    (gauge) => succeededAt.forEach((atMs, loop) => void gauge.set({ loop }, atMs / 1_000)),
  );
  const interval = metrics.gauge(
    "disburse_loop_interval_seconds",
    "The longest pause between two runs of the loop, where nothing wakes it.",
    ["loop"],
  );
  counters.set(log, (loop, everyMs) => {
    interval.set({ loop }, everyMs / 1_000);
    const failed = failures.labels(loop);
    // An increase counts from a sample on: without the zero the first failure would be none.
    failed.inc(0);
    const succeeded = () => void succeededAt.set(loop, Date.now());
    succeeded();
    return { succeeded, failed: () => failed.inc() };
  });
}

/** A loop rests when it has paused for so long. */
const restAfterMs = 10_000;

/** Starts background work that runs until it is stopped. The first run is at once. */
export function startLoop({ name, everyMs, restMs = everyMs, run, log }: LoopOptions): Loop {
  let stopping = false;
  let woken = false;
  /** The time of its pauses since there was something to do. */
  let quietMs = 0;
  let wakeUp = (): void => undefined;
  const counter = counters.get(log)?.(name, restMs);
  const isResting = () => quietMs > restAfterMs;
  const pause = () =>
    new Promise<void>((resolve) => {
      const pauseMs = isResting() ? restMs : everyMs;
      quietMs += pauseMs;
      const timer = setTimeout(resolve, timerMs(pauseMs));
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const runOnce = async () => {
    try {
      const more = await run();
      counter?.succeeded();
      return more;
    } catch (error) {
      counter?.failed();
      log.error({ err: error, loop: name }, "background run failed");
      return "failed";
    }
  };
  const work = async () => {
    while (!stopping) {
      woken = false;
      const more = await runOnce();
      if (stopping) return;
      if (more === true) quietMs = 0;
      if (more === true || (woken && more !== "failed")) continue;
      await pause();
    }
  };
  const ended = work();
  const wake = () => {
    woken = true;
    quietMs = 0;
    wakeUp();
  };
  return {
    wake,
    stir: () => {
      if (isResting()) wake();
      quietMs = 0;
    },
    stop: () => {
      stopping = true;
      wakeUp();
      return ended;
    },
  };
}
