import type { PageRange } from "@disburse/chassis/paging/page.ts";
import type { Filter } from "mongodb";
import { ifCreated, type PayoutDocument, type Payouts, toPayout } from "./document.ts";
import type { ExceptionKind } from "./rules/exception.ts";
import type { Payout } from "./rules/payout.ts";
import type { Progress } from "./rules/progress.ts";
import { advance, type Step, stepOf } from "./work.ts";

/** Lists payouts with an exception, the oldest exception first. */
export async function listExceptions(
  payouts: Payouts,
  kind: ExceptionKind | undefined,
  { after, limit }: PageRange,
): Promise<Payout[]> {
  const found = payouts
    .find(exceptionFilter(kind, after))
    .sort({ "exception.since": 1, _id: 1 })
    .limit(limit);
  return (await found.toArray()).map(toPayout);
}

/**
 * Builds the filter of a page. The index is read from the previous page's last payout, so a later
 * page costs no more than the first.
 */
export function exceptionFilter(
  kind: ExceptionKind | undefined,
  after: PageRange["after"],
): Filter<PayoutDocument> {
  const since = after?.at ?? new Date(0);
  const behind = [{ "exception.since": { $gt: since } }, { _id: { $gt: after?.id ?? "" } }];
  return {
    "exception.since": { $gte: since },
    ...(kind !== undefined && { "exception.kind": kind }),
    ...(after !== undefined && { $or: behind }),
  };
}

/**
 * Returns a payout, the effect of the resolution if it is already decided, and whether a worker may
 * be submitting the payout.
 */
export async function readResolvable(
  payouts: Payouts,
  id: string,
  resolutionId: string,
  now: Date,
) {
  const found = ifCreated(await payouts.findOne({ _id: id }));
  if (found === undefined) return undefined;
  const decided = found.resolutions?.find((each) => each.id === resolutionId);
  const isLeased = found.lease !== undefined && found.lease.until > now;
  const isBeingSent = isLeased && found.progress.stage === "submitting";
  return { payout: toPayout(found), decided: decided?.effect, isBeingSent };
}

export type Decision =
  | { readonly kind: "moves"; readonly to: Progress; readonly step: ResolvedStep }
  /** The exception ends, and nothing else changes. */
  | { readonly kind: "stands"; readonly step: ResolvedStep }
  | { readonly kind: "superseded" };

type ResolvedStep = Pick<Step, "at" | "detail" | "by">;

/**
 * Stores a resolution and its effect in one write of the payout. The write requires the revision
 * that was read. Returns `false` if a concurrent write won.
 */
export async function decide(
  payouts: Payouts,
  payout: Payout,
  resolutionId: string,
  decision: Decision,
): Promise<boolean> {
  if (decision.kind === "moves") {
    const { to, step } = decision;
    const resolving = { cause: "resolved", resolves: resolutionId, work: step.at } as const;
    return (await advance(payouts, payout, to, { ...step, ...resolving })) !== undefined;
  }
  const step = decision.kind === "stands" ? decision.step : undefined;
  const result = await payouts.updateOne(
    { _id: payout.id, revision: payout.revision },
    {
      $inc: { revision: 1 },
      ...(step && { $unset: { exception: "" } }),
      $push: {
        resolutions: { id: resolutionId, effect: step ? "applied" : "superseded" },
        ...(step && { journal: stepOf(payout, { ...step, cause: "resolved" }) }),
      },
    },
  );
  return result.modifiedCount === 1;
}
