import type { Metrics } from "../metrics.ts";
import { withTimeout } from "../timeout.ts";

/** The state of a process for probes, servers and clients. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

/**
 * Creates the lifecycle of a process, which starts, serves and drains. While the process drains, it
 * asks clients to use another process, and serves the remaining calls until it stops.
 *
 * @param canWork true if the process could do its work now; see `createDatabaseCheck`.
 */
export function createLifecycle(canWork: () => Promise<boolean>) {
  const draining = new AbortController();
  let hasStarted = false;
  return {
    /** Aborted when the process begins to drain. */
    draining: draining.signal,
    hasStarted: (): boolean => hasStarted,
    /** True if the process should receive requests now. */
    isReady: async (): Promise<boolean> =>
      hasStarted && !draining.signal.aborted && (await canWork()),
    started: (): void => {
      hasStarted = true;
    },
    drain: (): void => draining.abort(),
  };
}

/**
 * The minimum interval between database pings. Anyone can call probes, because they need no key.
 */
const freshMs = 1_000;
/** The maximum wait for a ping. If the ping takes longer, the probe returns the last result. */
const pingWithinMs = 300;
/**
 * The time without a reply after which the database counts as unavailable. One late reply on a busy
 * machine is not an outage.
 */
const toleratedMs = 4_000;

/**
 * Reports the database as available until it has not replied for 4 s. If the last ping succeeded,
 * the silence begins with the next one, because there may have been no ping for a long time.
 *
 * @param ping resolves to true if the database replies now. Called at most once a second.
 */
export function createDatabaseCheck(
  ping: () => Promise<boolean>,
  nowMs: () => number = () => performance.now(),
): () => Promise<boolean> {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<void> = Promise.resolve();
  let isAsking = false;
  let didAnswer = false;
  const ask = async () => {
    isAsking = true;
    try {
      didAnswer = await ping();
      if (didAnswer) answeredAtMs = nowMs();
    } finally {
      isAsking = false;
    }
  };
  return async () => {
    if (!isAsking && nowMs() - askedAtMs >= freshMs) {
      askedAtMs = nowMs();
      answer = ask();
    }
    await withTimeout(
      pingWithinMs,
      () => answer,
      () => undefined,
    );
    const silentSinceMs = isAsking && didAnswer ? askedAtMs : answeredAtMs;
    return nowMs() - silentSinceMs < toleratedMs;
  };
}

/**
 * The maximum time that a scrape waits for the database. If a scrape took too long, all its metrics
 * would be lost.
 */
const readyWithinMs = 500;

/** Adds the process's readiness to the metrics. */
export function showReadiness(metrics: Metrics, { isReady }: Lifecycle): void {
  const help = "1 if the process is ready for requests: /readyz returns 200 within 0.5 s.";
  metrics.measured("disburse_ready", help, [], async (gauge) => {
    const ready = await withTimeout(readyWithinMs, isReady, () => false);
    gauge.set(ready ? 1 : 0);
  });
}
