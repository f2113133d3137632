import { timestampDate } from "@bufbuild/protobuf/wkt";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import {
  countedTotal,
  countUpToMax,
  createdWithin,
  findPage,
  type PageRange,
  readPage,
} from "@disburse/chassis/paging/page.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type ListPayoutsRequest,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { type StoredEntry, storedMetadata } from "@disburse/kernel/metadata.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import {
  invalidRequest,
  isRefused,
  type Refused,
  type Violation,
} from "@disburse/kernel/refusal.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import type { PayoutCounts } from "@disburse/ledger/accounts.ts";
import type { StatusCounts } from "@disburse/ledger/rules/account.ts";
import type { CollationOptions, Filter } from "mongodb";
import { listedMerchant } from "../accounts/merchants.ts";
import { isCreated, type PayoutDocument, type Payouts } from "./document.ts";
import { listedMessage, listFields } from "./listed.ts";
import { everyStage, type Progress, publicStatusOf } from "./rules/progress.ts";

/**
 * Returns a page of a merchant's payouts, newest first, and the number of matches. Operators may
 * omit the merchant to list all merchants.
 */
export async function listPayouts(
  payouts: Payouts,
  counts: PayoutCounts,
  message: ListPayoutsRequest,
) {
  const filter = readFilter(message);
  const { merchantId } = message;
  const own: Filter<PayoutDocument> = { ...filter, ...listedMerchant(merchantId) };
  if (merchantId === "") return listOfAll(payouts, own, message);
  const total = async () =>
    isCountKept(filter)
      ? { totalCount: totalOf(await counts.of(merchantId), filter.status) }
      : countedTotal(await countUpToMax(payouts, own, collated(filter)));
  const [{ shown, nextCursor }, counted] = await Promise.all([
    findPage(payouts, own, message, { projection: listFields, ...collated(filter) }),
    total(),
  ]);
  const messages = shown.map(listedMessage);
  return { payouts: messages, nextCursor, ...counted };
}

/**
 * Returns a page of all merchants' payouts, ordered by id. Ids are in order of creation, so this
 * list needs no index of its own.
 */
async function listOfAll(
  payouts: Payouts,
  filter: Filter<PayoutDocument>,
  message: ListPayoutsRequest,
) {
  const read = ({ after, limit }: PageRange) => {
    const unseen = after === undefined ? {} : { _id: { $lt: after.id } };
    const options = { projection: listFields, ...collated(filter) };
    const found = payouts.find({ $and: [isCreated, filter, unseen] }, options);
    return found.sort({ _id: -1 }).limit(limit).toArray();
  };
  const cursorOf = ({ created_at: at, _id: id }: PayoutDocument) => ({ at, id });
  const [{ shown, nextCursor }, counted] = await Promise.all([
    readPage(message, read, cursorOf),
    countUpToMax(payouts, { $and: [isCreated, filter] }, collated(filter)),
  ]);
  const messages = shown.map(listedMessage);
  return { payouts: messages, nextCursor, ...countedTotal(counted) };
}

/** A payout must meet all given conditions. */
export type PayoutFilter = Partial<
  Pick<PayoutDocument, "status" | "beneficiary_id" | "source" | "destination">
> & {
  readonly "order.details.reference_id"?: string;
  readonly "order.quote_id"?: string;
  readonly "order.batch_id"?: string;
  readonly "order.details.metadata"?: { readonly $all: readonly StoredEntry[] };
  readonly "progress.stage"?: { readonly $in: readonly Progress["stage"][] };
} & ReturnType<typeof createdWithin> &
  Pick<Filter<PayoutDocument>, "beneficiary_name" | "source_minor">;

/** Builds the filter of a request. An empty field sets no condition. */
function readFilter(message: ListPayoutsRequest): PayoutFilter {
  const { createdFrom: from, createdTo: to } = message;
  const status = enumName(PayoutStatus, message.status);
  const fields = {
    beneficiary_id: message.beneficiaryId,
    "order.details.reference_id": message.referenceId,
    "order.quote_id": message.quoteId,
    source: message.sourceCurrencyCode,
    destination: message.destinationCurrencyCode,
    "order.batch_id": message.batchId,
    beneficiary_name: cleanText(message.beneficiaryName),
  };
  const pairs = storedMetadata(message.metadata);
  const subStatus = enumName(PayoutSubStatus, message.subStatus);
  return {
    ...(subStatus && ofSubStatus(subStatus)),
    ...(status && { status }),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")),
    ...(pairs.length > 0 && { "order.details.metadata": { $all: pairs } }),
    ...orThrow(readAmounts(message)),
    ...createdWithin(from && timestampDate(from), to && timestampDate(to)),
  };
}

/** Returns the filter for a sub-status. It names the status too, so that the index can be used. */
function ofSubStatus(subStatus: string) {
  const stages = everyStage.filter((stage) => publicStatusOf({ stage }).subStatus === subStatus);
  const [status] = stages.map((stage) => publicStatusOf({ stage }).status);
  return { "progress.stage": { $in: stages }, ...(status && { status }) };
}

/** Reads the bounds of the source amount. They must have the decimals of the source currency. */
export function readAmounts(
  message: Pick<ListPayoutsRequest, "amountFrom" | "amountTo" | "sourceCurrencyCode">,
): Pick<PayoutFilter, "source_minor"> | Refused<"INVALID_REQUEST"> {
  const { amountFrom, amountTo, sourceCurrencyCode: currency } = message;
  const sent = { amount_from: amountFrom, amount_to: amountTo };
  const given = Object.entries(sent).filter(([, text]) => text !== "");
  if (given.length === 0) return {};
  if (findCurrency(currency) === undefined) {
    const problem = "must be a known currency if amount_from or amount_to is sent";
    return invalidRequest([{ field: "source_currency_code", problem }]);
  }
  const violations: Violation[] = [];
  const bounds = given.map(([field, text]) => {
    const amount = parseAmount(text, currency);
    if (!isRefused(amount)) return [field, toDecimal128(amount)] as const;
    violations.push({ field, problem: amount.detail ?? "must be an amount" });
    return [field, undefined] as const;
  });
  if (violations.length > 0) return invalidRequest(violations);
  const { amount_from: $gte, amount_to: $lte } = Object.fromEntries(bounds);
  return { source_minor: { ...($gte && { $gte }), ...($lte && { $lte }) } };
}

/**
 * Ignores case and accents, like the index `list_beneficiary_name`: `zoe muller` finds `Zoë
 * Müller`.
 */
const byLetters: CollationOptions = { locale: "en", strength: 1 };

function collated(filter: { readonly beneficiary_name?: unknown }) {
  return filter.beneficiary_name === undefined ? {} : { collation: byLetters };
}

function totalOf(counts: StatusCounts, status: keyof StatusCounts | undefined): bigint {
  const { initiated, succeeded, failed } = counts;
  return BigInt(status === undefined ? initiated + succeeded + failed : counts[status]);
}

/**
 * Returns true if the accounts' counters have the number of matches. They do for no filter, or for
 * `status` only.
 */
function isCountKept(filter: PayoutFilter): boolean {
  return Object.keys(filter).every((name) => name === "status");
}
