import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { createWake, type Wake } from "./wake.ts";

/** Background work with a lifetime: a sweep, a relay, a worker. */
export type Loop = {
  /** Stops after the present run. */
  stop(): Promise<void>;
};

/** Collects loops instead of starting them: the test runs them. */
export type ManualLoops = {
  add(loop: Pick<LoopOptions, "name" | "run" | "wake">): void;
};

export type LoopOptions = {
  readonly name: string;
  /** The pause after a run that found nothing more to do, or failed. */
  readonly everyMs: number;
  /** The longer pause after 10 s in which no run found work and nothing notified the loop. */
  readonly restMs?: number;
  /** Starts the next run as soon as the present run ends. */
  readonly wake?: Wake | undefined;
  /** An alternative to `wake`: it ends a rest, but doesn't shorten the usual pause. */
  readonly rouse?: Wake | undefined;
  /** One run; returns true if there is more to do at once. An error is logged and retried. */
  readonly run: () => Promise<boolean>;
  readonly log: Log;
  readonly manual?: ManualLoops | undefined;
};

type RunCounter = { readonly succeeded: () => void; readonly failed: () => void };

/** Counters by log: each service has its own log, so this selects the service's metrics. */
const counters = new WeakMap<Log, (loop: string, everyMs: number) => RunCounter>();

/** Shows the loops that are started with this log in its service's metrics. */
export function showLoops(
  log: Log,
  metrics: Pick<Metrics, "counter" | "gauge" | "measured">,
): void {
  const failures = metrics.counter(
    "disburse_loop_failures_total",
    "Failed runs of background work, by loop.",
    ["loop"],
  );
  const succeededAt = new Map<string, number>();
  metrics.measured(
    "disburse_loop_last_success_timestamp_seconds",
    "Time of the last successful run of the loop, or of its start.",
    ["loop"],
    (gauge) => succeededAt.forEach((atMs, loop) => void gauge.set({ loop }, atMs / 1_000)),
  );
  const interval = metrics.gauge(
    "disburse_loop_interval_seconds",
    "The longest pause between two runs of the loop if nothing wakes it.",
    ["loop"],
  );
  counters.set(log, (loop, everyMs) => {
    interval.set({ loop }, everyMs / 1_000);
    const failed = failures.labels(loop);
    // Prometheus counts increases from the first sample, so the counter starts at zero.
    failed.inc(0);
    const succeeded = () => void succeededAt.set(loop, Date.now());
    succeeded();
    return { succeeded, failed: () => failed.inc() };
  });
}

/** An outage that lasts is logged again after this. */
const repeatMs = 60_000;

/** Logs the first failure of an outage and its end, not each failed run. */
function createOutageLog(log: Log, loop: string) {
  let failures = 0;
  let loggedAtMs = 0;
  let cause = "";
  return {
    failed: (error: unknown): void => {
      failures += 1;
      const isOther = causeOf(error) !== cause;
      const nowMs = performance.now();
      if (failures > 1 && !isOther && nowMs - loggedAtMs < repeatMs) return;
      [cause, loggedAtMs] = [causeOf(error), nowMs];
      log.error({ err: error, loop, failures }, "background run failed");
    },
    succeeded: (): void => {
      if (failures > 1) log.info({ loop, failures }, "background run works again");
      failures = 0;
    },
  };
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.name} ${"code" in error ? String(error.code) : ""}`;
}

/** A loop rests after pauses of this total length. */
const restAfterMs = 10_000;

/** Starts background work that runs until it is stopped. The first run is at once. */
export function startLoop(options: LoopOptions): Loop {
  const { name, everyMs, restMs = everyMs, wake = createWake(), rouse = wake, run, log } = options;
  if (options.manual !== undefined) {
    options.manual.add({ name, run, wake });
    return { stop: async () => undefined };
  }
  const stopping = new AbortController();
  /** The total of its pauses since there was something to do. */
  let quietMs = 0;
  const counter = counters.get(log)?.(name, restMs);
  const pause = async () => {
    const isResting = quietMs > restAfterMs;
    const pauseMs = isResting ? restMs : everyMs;
    quietMs += pauseMs;
    const isNotified = await (isResting ? rouse : wake).next(pauseMs, stopping.signal);
    if (isNotified) quietMs = 0;
  };
  const outage = createOutageLog(log, name);
  const runOnce = async () => {
    try {
      const more = await run();
      counter?.succeeded();
      outage.succeeded();
      return more;
    } catch (error) {
      counter?.failed();
      outage.failed(error);
      return "failed";
    }
  };
  const work = async () => {
    while (!stopping.signal.aborted) {
      // This run covers earlier notifications.
      if (wake.take()) quietMs = 0;
      const more = await runOnce();
      if (more === true) {
        quietMs = 0;
        continue;
      }
      // Notifications during a failed run do not hasten its repetition.
      if (more === "failed" && wake.take()) quietMs = 0;
      await pause();
    }
  };
  const ended = work();
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}
