/**
 * The screening status of a beneficiary that may not be paid; `missing`: there is no such record,
 * as after a restored backup.
 */
export type UnclearedStatus = "pending" | "review" | "blocked" | "missing";

/** That a payout is not sent because its beneficiary is not cleared, and since when. */
export type Uncleared = { readonly status: UnclearedStatus; readonly since: Date };

/** What a beneficiary that is not cleared means for its payout. */
export type ClearanceWait = {
  readonly uncleared: Uncleared;
  /** The status differs from the last one: recorded in the history. */
  readonly isChange: boolean;
  /** It is blocked or missing, or has waited for too long. */
  readonly needsOperator: boolean;
  /** The pause before the beneficiary is checked again. */
  readonly waitMs: number;
};

/** A beneficiary that a corrected list clears at once waits no longer than this. */
const waitMinMs = 2_000;
/** The longest pause, for a beneficiary that is in review for days. */
const waitMaxMs = 120_000;
/** The pause is this share of the wait so far. */
const waitShare = 8;

/** A payout waits for clearance and does not fail: the hit may be another person. */
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
