import type { Metrics } from "../metrics.ts";
import { withTimeout } from "../timeout.ts";

/** The state of a process for probes, servers and clients. */
export type Lifecycle = ReturnType<typeof createLifecycle>;

/**
 * Creates the life of a process: it starts, serves and drains. While it drains it asks clients to
 * go elsewhere, and serves remaining calls until it stops.
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

/** Probes need no key, so the database is queried at most once in this time. */
const freshMs = 1_000;
/** If a ping takes longer, the last result answers the probe. */
const pingWithinMs = 300;
/** A single late reply on a busy machine is no outage. */
const toleratedMs = 4_000;

/**
 * Reports the database as available until it has not replied for 4 s.
 *
 * @param ping true if the database replies now; called at most once a second.
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

/** A scrape waits no longer for the database: otherwise all its metrics would be lost. */
const readyWithinMs = 500;

/** Shows the process's readiness in the metrics. */
export function showReadiness(metrics: Metrics, { isReady }: Lifecycle): void {
  const help = "1 if the process should get requests: /readyz returns 200 within 0.5 s.";
  metrics.measured("disburse_ready", help, [], async (gauge) => {
    const ready = await withTimeout(readyWithinMs, isReady, () => false);
    gauge.set(ready ? 1 : 0);
  });
}
