/**
 * A screening status that blocks payment. `missing`: the record doesn't exist, for example after a
 * restored backup.
 */
export type UnclearedStatus = "pending" | "review" | "blocked" | "missing";

/** The beneficiary is not cleared, so the payout is not sent. */
export type Uncleared = { readonly status: UnclearedStatus; readonly since: Date };

/** The effect of an uncleared beneficiary on its payout. */
export type ClearanceWait = {
  readonly uncleared: Uncleared;
  /** The status differs from the last one, so the history records it. */
  readonly isChange: boolean;
  /** The beneficiary is blocked or missing, or the wait is too long. */
  readonly needsOperator: boolean;
  /** The pause until the next check. */
  readonly waitMs: number;
};

/** A beneficiary that a corrected list clears at once waits no longer than this. */
const waitMinMs = 2_000;
/** The longest pause, for a beneficiary that is in review for days. */
const waitMaxMs = 120_000;
/** The pause is this share of the wait so far. */
const waitShare = 8;

/** A payout waits for clearance and doesn't fail: the hit may be another person. */
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
