import { isAcknowledged, type Outcome } from "../../sender/rules/outcome.ts";

/** The health of an endpoint. The process that owns the endpoint measures it. */
export type Health = {
  /** `open` means that the endpoint failed repeatedly. It then gets one attempt at a time. */
  readonly circuit: "closed" | "open";
  readonly concurrency: number;
  /** Number of failures since the last response with status 200. */
  readonly consecutiveFailures: number;
  /** The time at which the first failed attempt of the streak ended. */
  readonly failingSince?: Date | undefined;
  /** Number of 24-hour periods in a row with a failed attempt, counted from `failingSince`. */
  readonly failingDays?: number | undefined;
  readonly lastDeliveredAt?: Date | undefined;
  readonly lastFailedAt?: Date | undefined;
  /** The error or the status code of the last failure. `""` without a failure. */
  readonly lastFailure: string;
};

/**
 * Concurrent attempts of an endpoint at its start. The minimum and the maximum follow (webhooks:
 * fairness).
 */
export const concurrencyStart = 8;
const concurrencyMin = 1;
const concurrencyMax = 32;

/**
 * Failures in a row before the circuit opens. This exceeds the initial concurrency, so one restart
 * of a receiver doesn't open the circuit.
 */
const failuresToOpen = 10;

/**
 * Minimum duration of failures before the circuit opens. A first retry starts 5 s after the failed
 * attempt. So if an endpoint refuses first attempts but acknowledges retries, a retry succeeds
 * within this time.
 */
const failingMsToOpen = 10_000;

const dayMs = 86_400_000;
/** An endpoint is paused after this many days without an acknowledgement (decisions §10). */
const unresponsiveDays = 5;

/** Minimum time between two attempts while the circuit is open. */
export const circuitPauseMs = 5_000;

/** The health of an endpoint that has had no attempts. */
export const healthStart: Health = {
  circuit: "closed",
  concurrency: concurrencyStart,
  consecutiveFailures: 0,
  lastFailure: "",
};

/**
 * Updates the health of an endpoint after an attempt. A failure halves the concurrency, and a
 * success adds one. The circuit opens if the endpoint has acknowledged nothing for 10 s and 10
 * attempts and the concurrency is one. It closes with the first success, which may be a retry.
 */
export function afterOutcome(health: Health, outcome: Outcome, at: Date): Health {
  if (isAcknowledged(outcome)) {
    const concurrency = Math.min(health.concurrency + 1, concurrencyMax);
    return {
      ...health,
      circuit: "closed",
      concurrency,
      consecutiveFailures: 0,
      failingSince: undefined,
      failingDays: undefined,
      lastDeliveredAt: at,
    };
  }
  const consecutiveFailures = health.consecutiveFailures + 1;
  const concurrency = Math.max(Math.floor(health.concurrency / 2), concurrencyMin);
  const { failingSince, failingDays } = streakAfterFailure(health, at);
  const isLong = at.getTime() - failingSince.getTime() >= failingMsToOpen;
  const isOften = consecutiveFailures >= failuresToOpen && concurrency === concurrencyMin;
  return {
    ...health,
    circuit: isOften && isLong ? "open" : health.circuit,
    concurrency,
    consecutiveFailures,
    failingSince,
    failingDays,
    lastFailedAt: at,
    lastFailure: outcome.kind === "answered" ? String(outcome.statusCode) : outcome.error,
  };
}

/**
 * Continues the failure streak. Restarts the streak if a whole 24-hour period had no failed
 * attempt, because no delivery was due.
 */
function streakAfterFailure({ failingSince, failingDays = 0 }: Health, at: Date) {
  const day =
    failingSince === undefined ? 0 : Math.floor((at.getTime() - failingSince.getTime()) / dayMs);
  if (failingSince === undefined || day > failingDays) return { failingSince: at, failingDays: 1 };
  return { failingSince, failingDays: Math.max(failingDays, day + 1) };
}

/**
 * Returns true if the endpoint has acknowledged nothing for five days. Each of these days must have
 * a failed attempt.
 */
export function isUnresponsive({ failingSince, failingDays = 0 }: Health, now: Date): boolean {
  if (failingSince === undefined || failingDays < unresponsiveDays) return false;
  return now.getTime() - failingSince.getTime() >= unresponsiveDays * dayMs;
}

/**
 * A failing endpoint is reported after this time. A receiver's restart or deployment takes less,
 * and the 8th attempt of a delivery is made after 10 min 35 s.
 */
export const failingMsToReport = 600_000;

/** Returns true if attempts have failed for 10 minutes, and none was acknowledged meanwhile. */
export function isFailing({
  failingSince,
  lastFailedAt,
}: Pick<Health, "failingSince" | "lastFailedAt">): boolean {
  if (failingSince === undefined || lastFailedAt === undefined) return false;
  return lastFailedAt.getTime() - failingSince.getTime() >= failingMsToReport;
}

/** Resets the streak after the endpoint was resumed. */
export function withoutStreak(health: Health): Health {
  return { ...health, failingSince: undefined, failingDays: undefined };
}
