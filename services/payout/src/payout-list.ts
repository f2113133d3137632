import type { PageCursor } from "@disburse/chassis/page-cursor.ts";
import type { Collection, Filter } from "mongodb";
import type { Payout } from "./domain/payout.ts";
import type { PayoutStatus } from "./domain/progress.ts";
import { type PayoutDocument, toPayout } from "./payout-documents.ts";

/** What a list is narrowed to; absent for any. */
export type PayoutFilter = {
  readonly status?: PayoutStatus;
  readonly beneficiaryId?: string;
  readonly referenceId?: string;
  readonly quoteId?: string;
  readonly source?: string;
  readonly destination?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
};

/** Where a page starts, and how long it is. */
export type PayoutPage = { readonly after: PageCursor | undefined; readonly limit: number };

/** Counting stops here for filters whose count is not kept (decisions: payouts). */
export const countMax = 10_000;

/** A page of a merchant's payouts, newest first. */
export async function listPayouts(
  payouts: Collection<PayoutDocument>,
  merchantId: string,
  filter: PayoutFilter,
  { after, limit }: PayoutPage,
): Promise<Payout[]> {
  const found = payouts
    .find(pageFilter(merchantId, filter, after))
    .sort({ created_at: -1, _id: -1 })
    .limit(limit);
  return (await found.toArray()).map(toPayout);
}

/**
 * What a page may hold. The first bound is where an index starts, however far down the page is; the
 * second drops those of the same moment that were shown before.
 */
export function pageFilter(
  merchantId: string,
  filter: PayoutFilter,
  after: PageCursor | undefined,
): Filter<PayoutDocument> {
  const narrowed = documentFilter(merchantId, filter);
  if (after === undefined) return narrowed;
  const beyond = { $or: [{ created_at: { $lt: after.at } }, { _id: { $lt: after.id } }] };
  return { $and: [narrowed, { created_at: { $lte: after.at } }, beyond] };
}

/** How many payouts pass a filter, up to `countMax` and one. */
export function countPayouts(
  payouts: Collection<PayoutDocument>,
  merchantId: string,
  filter: PayoutFilter,
): Promise<number> {
  return payouts.countDocuments(documentFilter(merchantId, filter), { limit: countMax + 1 });
}

function documentFilter(merchantId: string, filter: PayoutFilter): Filter<PayoutDocument> {
  const { status, beneficiaryId, referenceId, quoteId, source, destination } = filter;
  const created = {
    ...(filter.createdFrom === undefined ? {} : { $gte: filter.createdFrom }),
    ...(filter.createdTo === undefined ? {} : { $lt: filter.createdTo }),
  };
  return {
    merchant_id: merchantId,
    ...(status === undefined ? {} : { status }),
    ...(beneficiaryId === undefined ? {} : { beneficiary_id: beneficiaryId }),
    ...(referenceId === undefined ? {} : { reference_id: referenceId }),
    ...(quoteId === undefined ? {} : { quote_id: quoteId }),
    ...(source === undefined ? {} : { source }),
    ...(destination === undefined ? {} : { destination }),
    ...(Object.keys(created).length === 0 ? {} : { created_at: created }),
  };
}
