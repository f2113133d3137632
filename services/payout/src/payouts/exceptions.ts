import type { Collection, Filter } from "mongodb";
import { type PayoutDocument, type ResolutionFate, toPayout } from "./document.ts";
import type { PayoutPage } from "./list.ts";
import type { ExceptionKind } from "./rules/exception.ts";
import type { Payout } from "./rules/payout.ts";
import type { Progress } from "./rules/progress.ts";
import { advance, type Step, stepOf } from "./work.ts";

/** Payouts that people have to look at, those that wait longest first. */
export async function listExceptions(
  payouts: Collection<PayoutDocument>,
  kind: ExceptionKind | undefined,
  { after, limit }: PayoutPage,
): Promise<Payout[]> {
  const found = payouts
    .find(exceptionFilter(kind, after))
    .sort({ "doubt.since": 1, _id: 1 })
    .limit(limit);
  return (await found.toArray()).map(toPayout);
}

/** What a page may hold: its bound is where the index starts, however far down the page is. */
export function exceptionFilter(
  kind: ExceptionKind | undefined,
  after: PayoutPage["after"],
): Filter<PayoutDocument> {
  const since = after?.at ?? new Date(0);
  const behind = [{ "doubt.since": { $gt: since } }, { _id: { $gt: after?.id ?? "" } }];
  return {
    "doubt.since": { $exists: true, $gte: since },
    ...(kind === undefined ? {} : { "doubt.kind": kind }),
    ...(after === undefined ? {} : { $or: behind }),
  };
}

/** A payout as it is now, for one of its resolutions. */
export type Resolvable = {
  readonly payout: Payout;
  /** What became of the resolution, if that is decided. */
  readonly fate: ResolutionFate | undefined;
  /** A worker may be handing the payout to its rail at this moment. */
  readonly isBeingSent: boolean;
};

export async function readResolvable(
  payouts: Collection<PayoutDocument>,
  id: string,
  resolutionId: string,
  now: Date,
): Promise<Resolvable | undefined> {
  const found = await payouts.findOne({ _id: id });
  if (found === null) return undefined;
  const decided = found.resolutions?.find((each) => each.id === resolutionId);
  const isLeased = found.lease !== undefined && found.lease.until > now;
  const isBeingSent = isLeased && found.progress.stage === "submitting";
  return { payout: toPayout(found), fate: decided?.fate, isBeingSent };
}

/** What a confirmed resolution comes to. */
export type Decision =
  | { readonly kind: "moves"; readonly to: Progress; readonly step: ResolvedStep }
  /** Nothing but its doubt ends. */
  | { readonly kind: "stands"; readonly step: ResolvedStep }
  | { readonly kind: "superseded" };

type ResolvedStep = Pick<Step, "at" | "detail" | "by">;

/**
 * Decides what becomes of a resolution in one write of its payout, guarded by the revision that was
 * read; `false`: somebody was faster. Whoever reads the payout later finds the decision there.
 */
export async function decide(
  payouts: Collection<PayoutDocument>,
  payout: Payout,
  resolutionId: string,
  decision: Decision,
): Promise<boolean> {
  if (decision.kind === "moves") {
    const { to, step } = decision;
    const resolving = { cause: "resolved", resolves: resolutionId, work: step.at } as const;
    return (await advance(payouts, payout, to, { ...step, ...resolving })) !== undefined;
  }
  const stands = decision.kind === "stands" && {
    $unset: { doubt: "" as const },
    journal: stepOf(payout, { ...decision.step, cause: "resolved" }),
  };
  const result = await payouts.updateOne(
    { _id: payout.id, revision: payout.revision },
    {
      $inc: { revision: 1 },
      ...(stands && { $unset: stands.$unset }),
      $push: {
        resolutions: { id: resolutionId, fate: stands ? "applied" : "superseded" },
        ...(stands && { journal: stands.journal }),
      },
    },
  );
  return result.modifiedCount === 1;
}
