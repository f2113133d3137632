/**
 * A screening status that blocks payment. With `missing`, the beneficiary's record doesn't exist,
 * for example after a restored backup.
 */
export type UnclearedStatus = "pending" | "review" | "blocked" | "missing";

/** The status of a beneficiary that is not cleared. `since` is when the payout began to wait. */
export type Uncleared = { readonly status: UnclearedStatus; readonly since: Date };

/** The effect of an uncleared beneficiary on its payout. */
export type ClearanceWait = {
  readonly uncleared: Uncleared;
  /** True if the status differs from the last one. The history then records the new status. */
  readonly isChange: boolean;
  /** True if the beneficiary is blocked or missing, or if the payout has waited too long. */
  readonly needsOperator: boolean;
  /** The pause until the next check. */
  readonly waitMs: number;
};

/**
 * The shortest pause between checks. A hit that a corrected screening list removes at once delays
 * the payout no longer than this.
 */
const waitMinMs = 2_000;
/** The longest pause between checks, for a beneficiary that is in review for days. */
const waitMaxMs = 120_000;
/** The pause is the time waited so far, divided by this number. */
const waitShare = 8;

/**
 * Returns how a payout waits for its beneficiary's clearance. The payout doesn't fail, because the
 * screening hit may be another person.
 */
export function clearanceWait(
  before: Uncleared | undefined,
  status: UnclearedStatus,
  now: Date,
  stuckAfterMs: number,
): ClearanceWait {
  const since = before?.since ?? now;
  const waitedMs = now.getTime() - since.getTime();
  return {
    uncleared: { status, since },
    isChange: before?.status !== status,
    needsOperator: status === "blocked" || status === "missing" || waitedMs >= stuckAfterMs,
    waitMs: Math.min(Math.max(waitedMs / waitShare, waitMinMs), waitMaxMs),
  };
}
