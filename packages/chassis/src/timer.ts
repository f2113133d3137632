/** The longest wait of a timer: 24.8 days. A longer one overflows 32 bits and ends at once. */
export const timerMsMax = 2 ** 31 - 1;

/** A wait that a timer can hold: the time itself, or the longest wait. */
export function timerMs(ms: number): number {
  return Math.min(ms, timerMsMax);
}
