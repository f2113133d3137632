import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { createWake, type Wake } from "./wake.ts";

/** Background work that can be stopped: a sweep, a relay, a worker. */
export type Loop = {
  /** Stops after the current run. */
  stop(): Promise<void>;
};

/** Collects loops instead of starting them, so that a test can run them. */
export type ManualLoops = {
  add(loop: Pick<LoopOptions, "name" | "run" | "wake">): void;
};

export type LoopOptions = {
  readonly name: string;
  /** The pause after a run that failed or found nothing more to do. */
  readonly everyMs: number;
  /** The longer pause that applies after 10 s without work and without notifications. */
  readonly restMs?: number;
  /** Notifies the loop. The next run starts as soon as the current run ends. */
  readonly wake?: Wake | undefined;
  /** Ends a long pause, but doesn't shorten the usual pause. Set either this or `wake`. */
  readonly rouse?: Wake | undefined;
  /**
   * Runs once. Returns true if there is more to do immediately. An error is logged, and the run is
   * repeated.
   */
  readonly run: () => Promise<boolean>;
  readonly log: Log;
  readonly manual?: ManualLoops | undefined;
};

type RunCounter = { readonly succeeded: () => void; readonly failed: () => void };

/**
 * Run counters by log. Each service has its own log, so the log identifies the service's metrics.
 */
const counters = new WeakMap<Log, (loop: string, everyMs: number) => RunCounter>();

/** Adds metrics for the loops that are started with this log. */
export function showLoops(
  log: Log,
  metrics: Pick<Metrics, "counter" | "gauge" | "measured">,
): void {
  const failures = metrics.counter(
    "disburse_loop_failures_total",
    "Failed runs of a background loop.",
    ["loop"],
  );
  const succeededAt = new Map<string, number>();
  metrics.measured(
    "disburse_loop_last_success_timestamp_seconds",
    "Unix time of the last successful run of a background loop, or of its start.",
    ["loop"],
    (gauge) => succeededAt.forEach((atMs, loop) => void gauge.set({ loop }, atMs / 1_000)),
  );
  const interval = metrics.gauge(
    "disburse_loop_interval_seconds",
    "Maximum pause between two runs of a background loop, in seconds.",
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

/** The interval at which a continuing outage is logged again. */
const repeatMs = 60_000;

/** Logs the first failure of an outage and its end, but not each failed run. */
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
      log.error({ err: error, loop, failures }, "background loop failed; it will run again");
    },
    succeeded: (): void => {
      if (failures > 1) log.info({ loop, failures }, "background loop works again");
      failures = 0;
    },
  };
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.name} ${"code" in error ? String(error.code) : ""}`;
}

/** The total length of pauses without work after which a loop uses the longer pause. */
const restAfterMs = 10_000;

/** Starts background work that runs until it is stopped. The first run starts immediately. */
export function startLoop(options: LoopOptions): Loop {
  const { name, everyMs, restMs = everyMs, wake = createWake(), rouse = wake, run, log } = options;
  if (options.manual !== undefined) {
    options.manual.add({ name, run, wake });
    return { stop: async () => undefined };
  }
  const stopping = new AbortController();
  /** The total length of pauses since the loop last had something to do. */
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
      // Takes earlier notifications, because this run covers them.
      if (wake.take()) quietMs = 0;
      const more = await runOnce();
      if (more === true) {
        quietMs = 0;
        continue;
      }
      // Notifications during a failed run do not make the loop retry earlier.
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
