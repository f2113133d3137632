import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { PageCursor } from "@disburse/chassis/paging/cursor.ts";
import {
  behind,
  countMax,
  createdWithin,
  newestFirst,
} from "@disburse/chassis/paging/record-page.ts";
import { type WordOf, wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import {
  type ListPayoutsRequest,
  PayoutStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Filter } from "mongodb";
import { type PayoutDocument, type Payouts, toPayout } from "./document.ts";
import type { Payout } from "./rules/payout.ts";

/** The conditions of a list; all that are given must hold. */
export type PayoutFilter = {
  readonly status?: WordOf<typeof PayoutStatus>;
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
  payouts: Payouts,
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
  payouts: Payouts,
  merchantId: string,
  filter: PayoutFilter,
): Promise<number> {
  return payouts.countDocuments(documentFilter(merchantId, filter), { limit: countMax + 1 });
}

function documentFilter(merchantId: string, filter: PayoutFilter): Filter<PayoutDocument> {
  const { status, beneficiaryId, referenceId, quoteId, source, destination } = filter;
  return {
    merchant_id: merchantId,
    ...(status !== undefined && { status }),
    ...(beneficiaryId !== undefined && { beneficiary_id: beneficiaryId }),
    ...(referenceId !== undefined && { reference_id: referenceId }),
    ...(quoteId !== undefined && { quote_id: quoteId }),
    ...(source !== undefined && { source }),
    ...(destination !== undefined && { destination }),
    ...createdWithin(filter.createdFrom, filter.createdTo),
  };
}

/** The filter of a request: a field that was not sent is no condition. */
export function readFilter(message: ListPayoutsRequest): PayoutFilter {
  const { beneficiaryId, referenceId, quoteId, createdFrom, createdTo } = message;
  const { sourceCurrencyCode: source, destinationCurrencyCode: destination } = message;
  const status = wordOf(PayoutStatus, message.status);
  return {
    ...(status && { status }),
    ...(beneficiaryId !== "" && { beneficiaryId }),
    ...(referenceId !== "" && { referenceId }),
    ...(quoteId !== "" && { quoteId }),
    ...(source !== "" && { source }),
    ...(destination !== "" && { destination }),
    ...(createdFrom && { createdFrom: timestampDate(createdFrom) }),
    ...(createdTo && { createdTo: timestampDate(createdTo) }),
  };
}

/** Whether the count of a filter is kept: none, or `status` alone. */
export function isCountKept(filter: PayoutFilter): boolean {
  return Object.keys(filter).every((name) => name === "status");
}
