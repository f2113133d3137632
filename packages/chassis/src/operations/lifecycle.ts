import type { Metrics } from "../metrics.ts";
import { withTimeout } from "../timeout.ts";

/** Where a process is in its life; probes, servers and clients act on it. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

/**
 * A process starts, serves, and drains: it then asks not to be called any more, and serves what
 * still comes until it stops.
 *
 * @param canWork whether the process could do its work now; see `createDatabaseCheck`.
 */
export function createLifecycle(canWork: () => Promise<boolean>) {
  const draining = new AbortController();
  let hasStarted = false;
  return {
    /** Aborted when the process begins to drain. */
    draining: draining.signal,
    hasStarted: (): boolean => hasStarted,
    /** Whether it should get requests now. */
    isReady: async (): Promise<boolean> =>
      hasStarted && !draining.signal.aborted && (await canWork()),
    started: (): void => {
      hasStarted = true;
    },
    drain: (): void => draining.abort(),
  };
}

/** Probes need no key, so the database is asked at most once in this time. */
const freshMs = 1_000;
/** A probe is answered from the last result where a ping takes longer. */
const pingWithinMs = 300;
/** One answer that a busy machine gave too late is no outage. */
const toleratedMs = 4_000;

/**
 * Whether the database answers, as probes should see it: it does until it has not answered for 4 s.
 *
 * @param ping whether it answers now; asked at most once a second.
 */
export function createDatabaseCheck(
  ping: () => Promise<boolean>,
  nowMs: () => number = () => performance.now(),
): () => Promise<boolean> {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let answeredAtMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<void> = Promise.resolve();
  let isAsking = false;
  const ask = async () => {
    isAsking = true;
    try {
      if (await ping()) answeredAtMs = nowMs();
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
    return nowMs() - answeredAtMs < toleratedMs;
  };
}

/** A scrape does not wait longer for the database: it would be lost with all its metrics. */
const readyWithinMs = 500;

/** Shows in the metrics whether the process should get requests. */
export function showReadiness(metrics: Metrics, { isReady }: Lifecycle): void {
  const help = "1 where the process should get requests, as its /readyz says within 0.5 s.";
  metrics.measured("disburse_ready", help, [], async (gauge) => {
    const ready = await withTimeout(readyWithinMs, isReady, () => false);
    gauge.set(ready ? 1 : 0);
  });
}
