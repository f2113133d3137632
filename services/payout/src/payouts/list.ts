import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  countedTotal,
  countUpToMax,
  createdWithin,
  findPage,
} from "@disburse/chassis/paging/page.ts";
import { wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import {
  type ListPayoutsRequest,
  PayoutStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import type { Filter } from "mongodb";
import type { PayoutCounts } from "./counts.ts";
import { type PayoutDocument, type Payouts, stateFields, toPayout } from "./document.ts";
import { payoutMessage } from "./wire.ts";

/** One page of a merchant's payouts, newest first, and how many pass the filter. */
export async function listPayouts(
  payouts: Payouts,
  counts: PayoutCounts,
  message: ListPayoutsRequest,
) {
  const filter = readFilter(message);
  const { merchantId } = message;
  const own: Filter<PayoutDocument> = { ...filter, merchant_id: merchantId };
  const total = async () =>
    isCountKept(filter)
      ? { totalCount: BigInt(await counts.total(merchantId, filter.status)) }
      : countedTotal(await countUpToMax(payouts, own));
  const [{ shown, nextCursor }, counted] = await Promise.all([
    findPage(payouts, own, message, { projection: stateFields }),
    total(),
  ]);
  const messages = shown.map((document) => payoutMessage(toPayout(document)));
  return { payouts: messages, nextCursor, ...counted };
}

/** The conditions of a list, as documents have them; all that are given must hold. */
export type PayoutFilter = Partial<
  Pick<
    PayoutDocument,
    "status" | "beneficiary_id" | "reference_id" | "quote_id" | "source" | "destination"
  >
> &
  ReturnType<typeof createdWithin>;

/** The filter of a request: a field that was not sent is no condition. */
function readFilter(message: ListPayoutsRequest): PayoutFilter {
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
function isCountKept(filter: PayoutFilter): boolean {
  return Object.keys(filter).every((name) => name === "status");
}
