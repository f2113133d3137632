import { toStored } from "@disburse/chassis/mongo/stored.ts";
import type { Payouts } from "./document.ts";
import type { Payout, Reissue } from "./rules/payout.ts";
import { stepOf } from "./work.ts";

/**
 * Binds a payout to the quote of its reissue. The previous quote must have expired permanently.
 * Returns `false` if another request has bound a quote, or if the payout now has an exception.
 */
export async function bindReissue(
  payouts: Payouts,
  { id, reissue: before }: Pick<Payout, "id" | "reissue">,
  bound: Reissue,
): Promise<boolean> {
  const asRead =
    before === undefined
      ? { reissue: { $exists: false } }
      : { "reissue.quote_id": before.quoteId, reissued_as: { $exists: false } };
  const over = { _id: id, status: "failed", exception: { $exists: false } } as const;
  const reissue = toStored(bound);
  const { matchedCount } = await payouts.updateOne({ ...over, ...asRead }, { $set: { reissue } });
  return matchedCount === 1;
}

/**
 * Records in a payout which payout reissues it, once. Call this after the claim of the bound quote
 * and before the new payout is stored.
 */
export async function markReissued(
  payouts: Payouts,
  { id: reissued_as, quote }: Payout,
  at: Date,
): Promise<void> {
  const { reissueOf = "", id: quoteId, merchantId } = quote;
  const before = await payouts.findOne({ _id: reissueOf, merchant_id: merchantId });
  if (before?.reissue?.quote_id !== quoteId)
    throw new Error("the payout was reissued, but it has no id of the reissue's quote");
  const { progress, version } = before;
  const detail = `reissued as ${reissued_as}`;
  const step = stepOf({ progress, version }, { at, cause: "reissued", detail });
  await payouts.updateOne(
    { _id: reissueOf, reissued_as: { $exists: false } },
    { $set: { reissued_as, updated_at: at }, $push: { journal: step } },
  );
}
