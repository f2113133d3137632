/** Maximum wait before a retry. A failing gap is retried at least every hour. */
const retryMaxMs = 3_600_000;
const retryMinMs = 30_000;

/** Maximum events that the payout service publishes again in one call. */
const batchMax = 100;
/** Batch sizes by number of failures. A gap that makes its batch fail is soon repaired alone. */
const batchSizes = [batchMax, batchMax / 10, 1] as const;

/** `event`: an event was lost before it was stored. `delivery`: a stored event lacks a delivery. */
export const gapKinds = ["event", "delivery"] as const;
export type GapKind = (typeof gapKinds)[number];

/** The time span of a sweep. It includes `from` and excludes `to`. */
export type GapWindow = { readonly from: Date; readonly to: Date };

/** Events younger than this may still arrive, so they don't count as gaps. */
const onItsWayMs = 60_000;

/** Time span of the first sweep of a new database. */
const firstReachMs = 86_400_000;

export type GapTerms = {
  /** Maximum age of swept events. Older ones may be deleted, so they don't count as gaps. */
  readonly reachMs: number;
  /** Maximum difference between clocks. Each sweep repeats this time span. */
  readonly overlapMs: number;
};

/** Returns the time span to sweep now, if any. `through` is the end of the last sweep. */
export function gapWindow(
  through: Date | undefined,
  now: Date,
  { reachMs, overlapMs }: GapTerms,
): GapWindow | undefined {
  const to = now.getTime() - onItsWayMs;
  const begun = through?.getTime() ?? to - firstReachMs;
  if (to <= begun) return undefined;
  const from = Math.max(begun - overlapMs, now.getTime() - reachMs);
  return { from: new Date(from), to: new Date(to) };
}

/** Returns the wait before the next repair of a gap that failed this often. */
export function retryAfterMs(failures: number): number {
  return Math.min(retryMaxMs, retryMinMs * 2 ** (failures - 1));
}

/** Returns the number of gaps to repair together. It depends on the failures of the first gap. */
export function batchSize(failures: number): number {
  return batchSizes[Math.min(failures, batchSizes.length - 1)] ?? 1;
}
