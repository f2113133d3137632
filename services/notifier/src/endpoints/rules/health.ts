import { isAcknowledged, type Outcome } from "../../sender/rules/outcome.ts";

/** An endpoint's health as its owner measures it. */
export type Health = {
  /** `open`: the endpoint failed repeatedly and gets one attempt at a time. */
  readonly circuit: "closed" | "open";
  readonly concurrency: number;
  /** Failures since the last status 200. */
  readonly consecutiveFailures: number;
  /** End of the streak's first failure. */
  readonly failingSince?: Date | undefined;
  /** Number of consecutive 24-hour periods since `failingSince` with a failed attempt in each. */
  readonly failingDays?: number | undefined;
  readonly lastDeliveredAt?: Date | undefined;
  readonly lastFailedAt?: Date | undefined;
  /** The error or status code of the last failure; "" without any. */
  readonly lastFailure: string;
};

/** Concurrent attempts per endpoint: initial, minimum, maximum (webhooks: fairness). */
export const concurrencyStart = 8;
const concurrencyMin = 1;
const concurrencyMax = 32;

/**
 * More than the initial concurrency, so that one restart of a receiver doesn't open the circuit.
 */
const failuresToOpen = 10;

/**
 * A first retry starts 5 s after its attempt. An endpoint that refuses first attempts and
 * acknowledges retries shows that within twice this time, regardless of its backlog.
 */
const failingMsToOpen = 10_000;

const dayMs = 86_400_000;
/** Days without an acknowledgement after which an endpoint is paused (decisions §10). */
const unresponsiveDays = 5;

/** Minimum pause between two attempts while a circuit is open. */
export const circuitPauseMs = 5_000;

/** The health of an endpoint without attempts. */
export const healthStart: Health = {
  circuit: "closed",
  concurrency: concurrencyStart,
  consecutiveFailures: 0,
  lastFailure: "",
};

/**
 * Updates an endpoint's health after an attempt. A failure halves the concurrency; a success adds
 * one. The circuit opens when an endpoint acknowledged nothing for 10 s and 10 attempts, with the
 * concurrency down to one. It closes with the first success, including a retry's.
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

/** Continues the failure streak, or restarts it after a day without a due delivery. */
function streakAfterFailure({ failingSince, failingDays = 0 }: Health, at: Date) {
  const day =
    failingSince === undefined ? 0 : Math.floor((at.getTime() - failingSince.getTime()) / dayMs);
  if (failingSince === undefined || day > failingDays) return { failingSince: at, failingDays: 1 };
  return { failingSince, failingDays: Math.max(failingDays, day + 1) };
}

/** Returns true if the endpoint acknowledged nothing for five days, each with a due delivery. */
export function isUnresponsive({ failingSince, failingDays = 0 }: Health, now: Date): boolean {
  if (failingSince === undefined || failingDays < unresponsiveDays) return false;
  return now.getTime() - failingSince.getTime() >= unresponsiveDays * dayMs;
}

/** Restarts the streak after a resumption. */
export function withoutStreak(health: Health): Health {
  return { ...health, failingSince: undefined, failingDays: undefined };
}
