import type { PageCursor } from "@disburse/chassis/paging/cursor.ts";
import {
  behind,
  countMax,
  createdWithin,
  newestFirst,
} from "@disburse/chassis/paging/record-page.ts";
import type { Collection, Filter } from "mongodb";
import { type PayoutDocument, toPayout } from "./document.ts";
import type { Payout } from "./rules/payout.ts";
import type { PayoutStatus } from "./rules/progress.ts";

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

/** A page of a merchant's payouts, newest first. */
export async function listPayouts(
  payouts: Collection<PayoutDocument>,
  merchantId: string,
  filter: PayoutFilter,
  { after, limit }: PayoutPage,
): Promise<Payout[]> {
  const found = payouts
    .find(pageFilter(merchantId, filter, after))
    .sort(newestFirst)
    .limit(limit);
  return (await found.toArray()).map(toPayout);
}

/** What a page may hold. */
export function pageFilter(
  merchantId: string,
  filter: PayoutFilter,
  after: PageCursor | undefined,
): Filter<PayoutDocument> {
  const narrowed = documentFilter(merchantId, filter);
  return after === undefined ? narrowed : { $and: [narrowed, ...behind(after)] };
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
  return {
    merchant_id: merchantId,
    ...(status === undefined ? {} : { status }),
    ...(beneficiaryId === undefined ? {} : { beneficiary_id: beneficiaryId }),
    ...(referenceId === undefined ? {} : { reference_id: referenceId }),
    ...(quoteId === undefined ? {} : { quote_id: quoteId }),
    ...(source === undefined ? {} : { source }),
    ...(destination === undefined ? {} : { destination }),
    ...createdWithin(filter.createdFrom, filter.createdTo),
  };
}
