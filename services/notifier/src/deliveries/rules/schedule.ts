/** The retry schedule (decisions, webhooks): waits double from 5 s for 24 h. */

/** The wait after the first attempt. Each later wait is twice the previous one. */
export const firstDelayMs = 5_000;

/** 5 s doubled 13 times is 40,960 s; one more would exceed 24 h. */
export const attemptsMax = 15;

/** No attempt starts this long after the first one started (service interface, events). */
export const horizonMs = 24 * 60 * 60 * 1_000;

/** Spreads deliveries that failed together. The last attempt still starts 44 minutes early. */
export const jitterMax = 0.02;

/** Returns a delivery's factor, from 1 to 1.02. All its waits share it, so they double exactly. */
export function jitterFactor(hash: Uint8Array): number {
  const word = new DataView(hash.buffer, hash.byteOffset, hash.byteLength).getUint32(0);
  return 1 + (word / 0xffff_ffff) * jitterMax;
}

/** No attempt of a delivery starts from this time on. */
export function deadlineOf(firstAttemptAt: Date): Date {
  return new Date(firstAttemptAt.getTime() + horizonMs);
}

/**
 * Returns the deadline of a delivery that was attempted before a pause: time in pauses since then
 * doesn't count. Both totals include all pauses that had ended, now and at that attempt.
 */
export function deadlineAfterPauses(deadline: Date, pausedMs: number, pausedMsThen: number): Date {
  return new Date(deadline.getTime() + pausedMs - pausedMsThen);
}

/** The wait after an unacknowledged attempt. `attempt` counts from 1. */
export function delayMs(attempt: number, jitter: number): number {
  return firstDelayMs * 2 ** (attempt - 1) * jitter;
}

type AttemptEnd = {
  /** Attempts so far, including this one. */
  readonly attempts: number;
  readonly endedAt: Date;
  readonly jitter: number;
  readonly deadline: Date;
};

/** The start of the next attempt, counted from this one's end; `undefined` if none is left. */
export function nextAttemptAt(end: AttemptEnd): Date | undefined {
  if (end.attempts >= attemptsMax) return undefined;
  const at = Math.round(end.endedAt.getTime() + delayMs(end.attempts, end.jitter));
  return at < end.deadline.getTime() ? new Date(at) : undefined;
}
