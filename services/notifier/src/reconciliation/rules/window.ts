/** A gap that failed again and again is still retried once an hour. */
const retryMaxMs = 3_600_000;
const retryMinMs = 30_000;

/** As many as payout republishes at once. */
const batchMax = 100;
/** By failures so far: a gap that fails its whole batch is soon alone. */
const batchSizes = [batchMax, batchMax / 10, 1] as const;

/** What may be lost: an event on its way here, or what should have been sent of a stored one. */
export const gapKinds = ["event", "delivery"] as const;
/** The kind of a sweep. */
export type GapKind = (typeof gapKinds)[number];

/** The span of time that a sweep looks at; `from` is in it, `to` is not. */
export type GapWindow = { readonly from: Date; readonly to: Date };

/** What is younger may still be on its way, and is no gap yet. */
const onItsWayMs = 60_000;

/** How far back the first sweep of all goes. */
const firstReachMs = 86_400_000;

/** What a kind of sweep looks at. */
export type GapTerms = {
  /** What is older may be deleted, and is no gap. */
  readonly reachMs: number;
  /** Swept again, because clocks differ by up to this. */
  readonly overlapMs: number;
};

/** What is to be swept now; `undefined`: nothing. `through` is where the last sweep ended. */
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

/** The wait before the next repair of a gap, after so many that failed. */
export function retryAfterMs(failures: number): number {
  return Math.min(retryMaxMs, retryMinMs * 2 ** (failures - 1));
}

/** How many gaps are repaired at once where the first of them has failed so often. */
export function batchSize(failures: number): number {
  return batchSizes[Math.min(failures, batchSizes.length - 1)] ?? 1;
}
