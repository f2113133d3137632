/** Bounds the backoff, so that a failing gap is retried at least hourly. */
const retryMaxMs = 3_600_000;
const retryMinMs = 30_000;

/** Maximum events that payout republishes in one call. */
const batchMax = 100;
/** Indexed by failures so far. A gap that fails its whole batch soon runs alone. */
const batchSizes = [batchMax, batchMax / 10, 1] as const;

/** `event`: lost on its way here. `delivery`: missing for a stored event. */
export const gapKinds = ["event", "delivery"] as const;
export type GapKind = (typeof gapKinds)[number];

/** The time span of a sweep: `from` inclusive, `to` exclusive. */
export type GapWindow = { readonly from: Date; readonly to: Date };

/** Younger events may still be on their way, so they are no gaps. */
const onItsWayMs = 60_000;

/** Time span of the very first sweep. */
const firstReachMs = 86_400_000;

export type GapTerms = {
  /** Older events may be deleted, so they are no gaps. */
  readonly reachMs: number;
  /** Maximum clock difference. This span is swept again. */
  readonly overlapMs: number;
};

/** Returns the window to sweep now, if any. `through` is the end of the last sweep. */
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

/** The wait before the next repair of a gap, given its failures. */
export function retryAfterMs(failures: number): number {
  return Math.min(retryMaxMs, retryMinMs * 2 ** (failures - 1));
}

/** The number of gaps to repair at once, given the failures of the first. */
export function batchSize(failures: number): number {
  return batchSizes[Math.min(failures, batchSizes.length - 1)] ?? 1;
}
