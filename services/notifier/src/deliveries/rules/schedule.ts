/**
 * The retry schedule (decisions, webhooks): the first wait is 5 s and each wait doubles, for up to
 * 24 h.
 */

/** The wait after the first attempt. Each later wait is twice the previous one. */
export const firstDelayMs = 5_000;

/** The last wait is 5 s doubled 13 times, which is 40,960 s. One more wait would exceed 24 h. */
export const attemptsMax = 15;

/**
 * An attempt must start within this time after the first attempt started (service interface,
 * events).
 */
export const horizonMs = 24 * 60 * 60 * 1_000;

/**
 * Maximum extension of a wait. It spreads deliveries that failed at the same time. Even with it,
 * the last attempt starts 44 minutes before the deadline.
 */
export const jitterMax = 0.02;

/**
 * Returns the factor of a delivery's waits, from 1 to 1.02. All its waits use the same factor, so
 * each is exactly twice the previous one.
 */
export function jitterFactor(hash: Uint8Array): number {
  const word = new DataView(hash.buffer, hash.byteOffset, hash.byteLength).getUint32(0);
  return 1 + (word / 0xffff_ffff) * jitterMax;
}

/** Returns a delivery's deadline. No attempt starts at or after it. */
export function deadlineOf(firstAttemptAt: Date): Date {
  return new Date(firstAttemptAt.getTime() + horizonMs);
}

/**
 * Extends the deadline of a delivery by the pauses since its first attempt. `pausedMs` is the total
 * of all pauses that have ended by now. `pausedMsThen` is the total at the time of that attempt.
 */
export function deadlineAfterPauses(deadline: Date, pausedMs: number, pausedMsThen: number): Date {
  return new Date(deadline.getTime() + pausedMs - pausedMsThen);
}

/** Returns the wait after an attempt that was not acknowledged. The first `attempt` is 1. */
export function delayMs(attempt: number, jitter: number): number {
  return firstDelayMs * 2 ** (attempt - 1) * jitter;
}

type AttemptEnd = {
  /** Number of attempts, including this one. */
  readonly attempts: number;
  readonly endedAt: Date;
  readonly jitter: number;
  readonly deadline: Date;
};

/**
 * Returns the start of the next attempt, measured from the end of this one. Returns `undefined` if
 * no attempt is left.
 */
export function nextAttemptAt(end: AttemptEnd): Date | undefined {
  if (end.attempts >= attemptsMax) return undefined;
  const at = Math.round(end.endedAt.getTime() + delayMs(end.attempts, end.jitter));
  return at < end.deadline.getTime() ? new Date(at) : undefined;
}
