import { timestampDate } from "@bufbuild/protobuf/wkt";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import {
  countedTotal,
  countUpToMax,
  createdWithin,
  type PageRange,
  readLimit,
  readPage,
} from "@disburse/chassis/paging/page.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type ListPayoutsRequest,
  PayoutOrderBy,
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
  refused,
  type Violation,
} from "@disburse/kernel/refusal.ts";
import { cleanText } from "@disburse/kernel/text.ts";
import type { PayoutCounts } from "@disburse/ledger/accounts.ts";
import type { StatusCounts } from "@disburse/ledger/rules/account.ts";
import type { CollationOptions, Filter } from "mongodb";
import { listedMerchant } from "../accounts/merchants.ts";
import { boundedList } from "./bounded-list.ts";
import { isCreated, type PayoutDocument, type Payouts } from "./document.ts";
import {
  bindingOf,
  isByAmount,
  listName,
  type OrderName,
  readPlace,
  writePlace,
} from "./list-order.ts";
import { listedMessage, listFields } from "./listed.ts";
import { cancellationOf } from "./rules/failure.ts";
import { everyStage, type Progress, publicStatusOf } from "./rules/progress.ts";

/**
 * Returns a page of a merchant's payouts and the number of matches. Operators may omit the merchant
 * to list all merchants.
 */
export async function listPayouts(
  payouts: Payouts,
  counts: PayoutCounts,
  message: ListPayoutsRequest,
) {
  const { order, filter, binding } = readListing(message);
  const { merchantId } = message;
  const own = { ...filter, ...listedMerchant(merchantId) };
  if (merchantId === "") {
    if (order !== "newest") orThrow(withoutMerchant);
    return listOfAll(payouts, own, message);
  }
  const list = listOf(payouts, own, order);
  const limit = orThrow(readLimit(message.limit));
  const start = orThrow(readPlace(message.cursor, order, binding));
  const total = async () => {
    if (message.withoutTotal) return { totalCount: 0n };
    return isCountKept(filter)
      ? { totalCount: totalOf(await counts.of(merchantId), filter.status) }
      : list.count();
  };
  const [{ shown, next }, counted] = await Promise.all([list.page(start, limit), total()]);
  const nextCursor = next === undefined ? "" : writePlace(order, binding, next);
  return { payouts: shown.map(listedMessage), nextCursor, ...counted };
}

/** Reads the order and the filter of a request, and the binding of its cursors. */
export function readListing(message: ListPayoutsRequest) {
  const order = enumName(PayoutOrderBy, message.orderBy) ?? "newest";
  const filter = readFilter(message, order);
  return { order, filter, binding: bindingOf(order, filter) };
}

const withoutMerchant = refused("INVALID_REQUEST", "merchant_id: is required for another order");

/** A merchant's payouts that match a filter, in an order. */
function listOf(payouts: Payouts, filter: OwnFilter, order: OrderName) {
  const { hint, ...reading } = readingOf(filter, order);
  const options = { ...collated(filter), ...(hint !== undefined && { hint }) };
  const all = { order, filter, ...reading, options, fields: listFields };
  return boundedList(payouts, all, { named: (same) => same, placeOf: (payout) => payout });
}

/**
 * The conditions that indexes serve, with the name of the index, in the order of preference. Each
 * index ends with the order of creation.
 */
const indexedConditions: readonly (readonly [condition: string, index: string])[] = [
  ["beneficiary_name", "list_beneficiary_name"],
  ["order.quote_id", "list_quote_id"],
  ["order.details.reference_id", "list_reference_id"],
  ["order.details.metadata", "list_metadata"],
  ["order.batch_id", "list_batch_id"],
  ["progress.reference", "list_reference"],
  ["beneficiary_id", "list_beneficiary_id"],
  ["status", "list_status"],
  ["destination", "list_destination"],
  ["source", "list_source"],
];

/** Conditions without an index. `$and` is that of a failure code. */
const withoutIndex = ["account_id", "updated_at", "$and"] as const;

type Reading = {
  readonly indexed: Filter<PayoutDocument>;
  readonly rest?: Filter<PayoutDocument>;
  readonly hint?: string;
};

/**
 * Chooses one index for a list with conditions that none serves, and for one by amount. The rest of
 * the conditions is then compared in at most 10,000 documents. Other lists have no rest.
 */
function readingOf(filter: OwnFilter, order: OrderName): Reading {
  const isPlain = withoutIndex.every((name) => !Object.hasOwn(filter, name));
  if (isPlain && !isByAmount(order)) return { indexed: filter };
  const [own = "", hint = "list"] =
    indexedConditions.find(([name]) => Object.hasOwn(filter, name)) ?? [];
  // The name's index has a collation of its own, so it serves in any order.
  const isAmount = isByAmount(order) && own !== "beneficiary_name";
  const served = new Set(["merchant_id", ...(isAmount ? amountFields : [own, "created_at"])]);
  const entries = Object.entries(filter);
  const those = (isServed: boolean): Filter<PayoutDocument> =>
    Object.fromEntries(entries.filter(([name]) => served.has(name) === isServed));
  const rest = those(false);
  return {
    indexed: those(true),
    ...(Object.keys(rest).length > 0 && { rest }),
    hint: isAmount ? "list_amount" : hint,
  };
}

const amountFields = ["source", "source_minor"] as const;

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
    readPage(listName, message, read, cursorOf),
    countUpToMax(payouts, { $and: [isCreated, filter] }, collated(filter)),
  ]);
  const messages = shown.map(listedMessage);
  return { payouts: messages, nextCursor, ...countedTotal(counted) };
}

/** A payout must meet all given conditions. */
export type PayoutFilter = Partial<
  Pick<PayoutDocument, "status" | "beneficiary_id" | "account_id" | "source" | "destination">
> & {
  readonly "order.details.reference_id"?: string;
  readonly "order.quote_id"?: string;
  readonly "order.batch_id"?: string;
  readonly "progress.reference"?: string;
  readonly "order.details.metadata"?: { readonly $all: readonly StoredEntry[] };
  readonly "progress.stage"?: { readonly $in: readonly Progress["stage"][] };
} & ReturnType<typeof createdWithin> &
  Pick<Filter<PayoutDocument>, "beneficiary_name" | "source_minor" | "updated_at" | "$and">;

export type OwnFilter = PayoutFilter & { readonly merchant_id?: string };

/** Builds the filter of a request. An empty field sets no condition. */
function readFilter(message: ListPayoutsRequest, order: OrderName): PayoutFilter {
  const { createdFrom: from, createdTo: to, updatedFrom } = message;
  const status = enumName(PayoutStatus, message.status);
  const fields = {
    beneficiary_id: message.beneficiaryId,
    account_id: message.accountId,
    "order.details.reference_id": message.referenceId,
    "order.quote_id": message.quoteId,
    source: message.sourceCurrencyCode,
    destination: message.destinationCurrencyCode,
    "order.batch_id": message.batchId,
    "progress.reference": message.uniqueTransactionReference,
    beneficiary_name: cleanText(message.beneficiaryName),
  };
  const pairs = storedMetadata(message.metadata);
  const subStatus = enumName(PayoutSubStatus, message.subStatus);
  return {
    ...(message.failureCode !== "" && ofFailureCode(message.failureCode)),
    ...(subStatus && ofSubStatus(subStatus)),
    ...(status && { status }),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")),
    ...(pairs.length > 0 && { "order.details.metadata": { $all: pairs } }),
    ...orThrow(readAmounts(message, isByAmount(order))),
    ...(updatedFrom && { updated_at: { $gte: timestampDate(updatedFrom) } }),
    ...createdWithin(from && timestampDate(from), to && timestampDate(to)),
  };
}

/** Returns the filter for a sub-status. It names the status too, so that the index can be used. */
function ofSubStatus(subStatus: string) {
  const stages = everyStage.filter((stage) => publicStatusOf({ stage }).subStatus === subStatus);
  const [status] = stages.map((stage) => publicStatusOf({ stage }).status);
  return { "progress.stage": { $in: stages }, ...(status && { status }) };
}

/** Returns the filter for a failure code. It names the status too, so that the index can be used. */
function ofFailureCode(code: string) {
  return { status: "failed" as const, $and: [failedWith(code)] };
}

function failedWith(code: string): Filter<PayoutDocument> {
  const because = cancellationOf(code);
  if (because !== undefined) {
    const absent = { $exists: false };
    return {
      "progress.stage": "cancelled",
      "progress.because": because === "cancelled" ? absent : because,
    };
  }
  // A rail that gave no reason stored none.
  const codes = code === "UNSPECIFIED" ? [code, null] : [code];
  return {
    "progress.stage": { $in: ["rejected", "returned"] },
    "progress.failure.code": { $in: codes },
  } as Filter<PayoutDocument>;
}

/**
 * Reads the bounds of the source amount. They must have the decimals of the source currency.
 * Amounts of different currencies can't be compared.
 */
export function readAmounts(
  message: Pick<ListPayoutsRequest, "amountFrom" | "amountTo" | "sourceCurrencyCode">,
  isSorted = false,
): Pick<PayoutFilter, "source_minor"> | Refused<"INVALID_REQUEST"> {
  const { amountFrom, amountTo, sourceCurrencyCode: currency } = message;
  const sent = { amount_from: amountFrom, amount_to: amountTo };
  const given = Object.entries(sent).filter(([, text]) => text !== "");
  const needing = [...given.map(([field]) => field), ...(isSorted ? ["sort by amount"] : [])];
  if (needing.length === 0) return {};
  if (findCurrency(currency) === undefined) {
    const problem =
      currency === "" ? `is required for ${needing.join(" and ")}` : "must be a known currency";
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
  if (bounds.length === 0) return {};
  const { amount_from: $gte, amount_to: $lte } = Object.fromEntries(bounds);
  return { source_minor: { ...($gte && { $gte }), ...($lte && { $lte }) } };
}

/**
 * Ignores case and accents, like the index `list_beneficiary_name`: `zoe muller` finds `Zoë
 * Müller`.
 */
const byLetters: CollationOptions = { locale: "en", strength: 1 };

export function collated(filter: { readonly beneficiary_name?: unknown }) {
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
