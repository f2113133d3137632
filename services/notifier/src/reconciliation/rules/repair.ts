/** A gap that failed again and again is still retried once an hour. */
const retryMaxMs = 3_600_000;
const retryMinMs = 30_000;

/** The wait before the next repair of a gap, after so many that failed. */
export function retryAfterMs(failures: number): number {
  return Math.min(retryMaxMs, retryMinMs * 2 ** (failures - 1));
}

/** As many as payout republishes at once. */
const batchMax = 100;
/** By failures so far: a gap that fails its whole batch is soon alone. */
const batchSizes = [batchMax, batchMax / 10, 1] as const;

/** How many gaps are repaired at once where the first of them has failed so often. */
export function batchSize(failures: number): number {
  return batchSizes[Math.min(failures, batchSizes.length - 1)] ?? 1;
}
