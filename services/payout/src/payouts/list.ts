import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { PageCursor } from "@disburse/chassis/paging/cursor.ts";
import {
  behind,
  countMax,
  createdWithin,
  newestFirst,
} from "@disburse/chassis/paging/record-page.ts";
import { wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import {
  type ListPayoutsRequest,
  PayoutStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Filter } from "mongodb";
import { type PayoutDocument, type Payouts, toPayout } from "./document.ts";
import type { Payout } from "./rules/payout.ts";

/** The conditions of a list, as documents have them; all that are given must hold. */
export type PayoutFilter = Partial<
  Pick<
    PayoutDocument,
    "status" | "beneficiary_id" | "reference_id" | "quote_id" | "source" | "destination"
  >
> &
  ReturnType<typeof createdWithin>;

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

/** The filter of a page. */
export function pageFilter(
  merchantId: string,
  filter: PayoutFilter,
  after: PageCursor | undefined,
): Filter<PayoutDocument> {
  const own = { ...filter, merchant_id: merchantId };
  return after === undefined ? own : { $and: [own, ...behind(after)] };
}

/** How many payouts pass a filter, up to `countMax` and one. */
export function countPayouts(payouts: Payouts, merchantId: string, filter: PayoutFilter) {
  const own = { ...filter, merchant_id: merchantId };
  return payouts.countDocuments(own, { limit: countMax + 1 });
}

/** The filter of a request: a field that was not sent is no condition. */
export function readFilter(message: ListPayoutsRequest): PayoutFilter {
  const { createdFrom: from, createdTo: to } = message;
  const status = wordOf(PayoutStatus, message.status);
  const fields = {
    beneficiary_id: message.beneficiaryId,
    reference_id: message.referenceId,
    quote_id: message.quoteId,
    source: message.sourceCurrencyCode,
    destination: message.destinationCurrencyCode,
  };
  return {
    ...(status && { status }),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")),
    ...createdWithin(from && timestampDate(from), to && timestampDate(to)),
  };
}

/** Whether the count of a filter is kept: none, or `status` alone. */
export function isCountKept(filter: PayoutFilter): boolean {
  return Object.keys(filter).every((name) => name === "status");
}
