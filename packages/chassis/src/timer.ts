/**
 * The longest wait of a timer, 24.8 days. A longer wait would overflow 32 bits and end immediately.
 */
export const timerMsMax = 2 ** 31 - 1;

/** Limits a wait to the longest one that a timer supports. */
export function timerMs(ms: number): number {
  return Math.min(ms, timerMsMax);
}
