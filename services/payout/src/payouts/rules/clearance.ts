/** How the screening of a beneficiary stands that may not be paid. */
export type UnclearedStatus = "pending" | "review" | "blocked";

/** That a payout is not sent because its beneficiary is not cleared, and since when. */
export type Uncleared = { readonly status: UnclearedStatus; readonly since: Date };

/** What a look at a beneficiary that is not cleared means for its payout. */
export type ClearanceWait = {
  readonly uncleared: Uncleared;
  /** The first such look, or the status is another than at the last: worth an entry. */
  readonly isNews: boolean;
  /** People have to look: it is blocked, or has waited for too long. */
  readonly isForOperators: boolean;
  /** The pause before the beneficiary is looked at again. */
  readonly waitMs: number;
};

/** Somebody who is cleared at once, by a correction of a list, waits no longer than this. */
const waitMinMs = 2_000;
/** A beneficiary that is in review for days is looked at no more seldom than this. */
const waitMaxMs = 120_000;
/** The pause is this share of what has been waited. */
const waitShare = 8;

/**
 * A payout waits until its beneficiary is cleared, and is never failed for it: what a person
 * decides on a hit can be that it is somebody else.
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
    isNews: before?.status !== status,
    isForOperators: status === "blocked" || waitedMs >= stuckAfterMs,
    waitMs: Math.min(Math.max(waitedMs / waitShare, waitMinMs), waitMaxMs),
  };
}
