import { isAcknowledged, type Outcome } from "../../sender/rules/outcome.ts";

/** How an endpoint takes its events, as its owner found it. */
export type Health = {
  /** Open: it failed repeatedly, and gets one attempt at a time. */
  readonly circuit: "closed" | "open";
  /** Attempts that may run at once. */
  readonly concurrency: number;
  /** Since the last 200. */
  readonly consecutiveFailures: number;
  /** When the first failure of the streak ended. */
  readonly failingSince?: Date | undefined;
  /** Periods of 24 h since then, without one between, in each of which an attempt failed. */
  readonly failingDays?: number | undefined;
  readonly lastDeliveredAt?: Date | undefined;
  readonly lastFailedAt?: Date | undefined;
  /** The error or the status code of the last failure; "" where there was none. */
  readonly lastFailure: string;
};

/** Attempts at once: what an endpoint begins with, its least and its most (webhooks: fairness). */
export const concurrencyStart = 8;
const concurrencyMin = 1;
const concurrencyMax = 32;

/** More than what was under way together, so that one restart of a receiver is not enough. */
const failuresToOpen = 10;

/**
 * A first retry comes 5 s after its attempt. An endpoint that refuses first attempts and takes
 * retries shows that in twice the time, however many first attempts were due before.
 */
const failingMsToOpen = 10_000;

const dayMs = 86_400_000;
/** An endpoint that acknowledges nothing for so many days is paused (decisions §10). */
const unresponsiveDays = 5;

/** At least so long between the end of an attempt and the next while a circuit is open. */
export const circuitPauseMs = 5_000;

/** An endpoint of which nothing is known. */
export const healthStart: Health = {
  circuit: "closed",
  concurrency: concurrencyStart,
  consecutiveFailures: 0,
  lastFailure: "",
};

/**
 * What an attempt's outcome makes of its endpoint: a failure halves what may run at once, a success
 * adds one. The circuit opens when an endpoint acknowledged nothing for 10 s and 10 attempts, the
 * last ones one at a time, and closes with the first success, be it a retry.
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

/** The streak of failures, which a day without a due delivery begins anew. */
function streakAfterFailure({ failingSince, failingDays = 0 }: Health, at: Date) {
  const day =
    failingSince === undefined ? 0 : Math.floor((at.getTime() - failingSince.getTime()) / dayMs);
  if (failingSince === undefined || day > failingDays) return { failingSince: at, failingDays: 1 };
  return { failingSince, failingDays: Math.max(failingDays, day + 1) };
}

/** Whether an endpoint acknowledged nothing for five days, on each of which something was due. */
export function isUnresponsive({ failingSince, failingDays = 0 }: Health, now: Date): boolean {
  if (failingSince === undefined || failingDays < unresponsiveDays) return false;
  return now.getTime() - failingSince.getTime() >= unresponsiveDays * dayMs;
}

/** The streak begins anew: its endpoint was resumed since. */
export function withoutStreak(health: Health): Health {
  return { ...health, failingSince: undefined, failingDays: undefined };
}
