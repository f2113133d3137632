import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import {
  countedTotal,
  countUpToMax,
  createdWithin,
  findPage,
} from "@disburse/chassis/paging/page.ts";
import { valueOfWord, wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import {
  type ListPayoutsRequest,
  type Payout as PayoutMessage,
  PayoutSchema,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { Decimal128, Filter } from "mongodb";
import type { PayoutCounts } from "./counts.ts";
import type { PayoutDocument, Payouts } from "./document.ts";
import { payoutIdOf } from "./rules/payout.ts";
import { publicStatusOf, visibleReference } from "./rules/progress.ts";

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
    findPage(payouts, own, message, { projection: shownFields }),
    total(),
  ]);
  return { payouts: shown.map(listedMessage), nextCursor, ...counted };
}

/** What a message of a payout has; its document is some times as large. */
const shownFields = {
  merchant_id: 1,
  account_id: 1,
  quote_id: 1,
  corridor_id: 1,
  beneficiary_id: 1,
  reference_id: 1,
  source: 1,
  destination: 1,
  source_minor: 1,
  fees_minor: 1,
  receiving_minor: 1,
  exchange_rate: 1,
  beneficiary_name: 1,
  account_number_masked: 1,
  transfer_method: 1,
  network: 1,
  progress: 1,
  version: 1,
  created_at: 1,
  updated_at: 1,
} as const satisfies Partial<Record<keyof PayoutDocument, 1>>;

function listedMessage(
  payout: Pick<PayoutDocument, "_id" | keyof typeof shownFields>,
): PayoutMessage {
  const { source, destination, progress } = payout;
  const { status, subStatus } = publicStatusOf(progress);
  const amount = (minor: Decimal128, currency: string) =>
    formatAmount(fromDecimal128(minor), currency);
  return create(PayoutSchema, {
    id: payout._id,
    merchantId: payout.merchant_id,
    accountId: payout.account_id,
    quoteId: payout.quote_id,
    corridorId: payout.corridor_id,
    beneficiaryId: payout.beneficiary_id,
    referenceId: payout.reference_id,
    status: valueOfWord(PayoutStatus, status),
    subStatus: valueOfWord(PayoutSubStatus, subStatus),
    sourceCurrencyCode: source,
    destinationCurrencyCode: destination,
    sourceAmount: amount(payout.source_minor, source),
    receivingAmount: amount(payout.receiving_minor, destination),
    totalFees: amount(payout.fees_minor, source),
    exchangeRate: payout.exchange_rate,
    uniqueTransactionReference: visibleReference(progress),
    beneficiaryName: payout.beneficiary_name,
    beneficiaryAccountNumberMasked: payout.account_number_masked,
    transferMethod: payout.transfer_method,
    network: payout.network,
    version: payout.version,
    createdAt: timestampFromDate(payout.created_at),
    updatedAt: timestampFromDate(payout.updated_at),
  });
}

/** The conditions of a list, as documents have them; all that are given must hold. */
export type PayoutFilter = Partial<
  Pick<
    PayoutDocument,
    "_id" | "status" | "beneficiary_id" | "reference_id" | "quote_id" | "source" | "destination"
  >
> &
  ReturnType<typeof createdWithin>;

/** The filter of a request: a field that was not sent is no condition. */
function readFilter(message: ListPayoutsRequest): PayoutFilter {
  const { quoteId, createdFrom: from, createdTo: to } = message;
  const status = wordOf(PayoutStatus, message.status);
  const fields = {
    beneficiary_id: message.beneficiaryId,
    reference_id: message.referenceId,
    source: message.sourceCurrencyCode,
    destination: message.destinationCurrencyCode,
  };
  return {
    ...(status && { status }),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")),
    // A quote's payout is found by its id; `quote_id` is compared, and needs no index.
    ...(quoteId !== "" && { _id: payoutIdOf(quoteId), quote_id: quoteId }),
    ...createdWithin(from && timestampDate(from), to && timestampDate(to)),
  };
}

/** Whether the count of a filter is kept: none, or `status` alone. */
function isCountKept(filter: PayoutFilter): boolean {
  return Object.keys(filter).every((name) => name === "status");
}
