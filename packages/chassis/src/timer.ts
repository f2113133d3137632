/** The longest wait of a timer: 24.8 days. A longer one overflows 32 bits and ends at once. */
export const timerMsMax = 2 ** 31 - 1;

/** Limits a wait to the longest one that a timer can hold. */
export function timerMs(ms: number): number {
  return Math.min(ms, timerMsMax);
}
