import { timestampDate } from "@bufbuild/protobuf/wkt";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { readLimit } from "@disburse/chassis/paging/page.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type ListedPayout,
  type ListPayoutsRequest,
  type ListPayoutsResponse,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { readAmount } from "@disburse/kernel/money.ts";
import type { Filter } from "mongodb";
import type { OrderDocument, Orders } from "../orders/document.ts";
import type { OrderState } from "../orders/rules/order.ts";
import { type BoundedReading, boundedList, type Placing } from "../payouts/bounded-list.ts";
import { collated, type OwnFilter, type PayoutFilter, readListing } from "../payouts/list.ts";
import {
  comparePlaces,
  isByAmount,
  type OrderName,
  type Place,
  readPlace,
  writePlace,
} from "../payouts/list-order.ts";
import { cancellationOf } from "../payouts/rules/failure.ts";
import { asWaiting } from "./document.ts";
import { listedWaiting } from "./wire.ts";

type Page = Pick<ListPayoutsResponse, "payouts" | "nextCursor"> & {
  readonly totalCount: bigint;
  readonly totalCountCapped?: boolean;
};

/** Adds the waiting payouts to a page of payouts, in the order and with the filters of the page. */
export async function withWaiting(
  waiting: Orders,
  request: ListPayoutsRequest,
  page: Page,
): Promise<Page> {
  const { order, filter, binding } = readListing(request);
  const states = statesOf(request);
  // A payout that waits has no payment yet, and a batch lists its waiting lines by itself.
  const isOther = request.batchId !== "" || request.uniqueTransactionReference !== "";
  if (states === undefined || isOther) return page;
  const limit = orThrow(readLimit(request.limit));
  const placeOf = (cursor: string) => orThrow(readPlace(cursor, order, binding));
  const own = { ...withoutStates(filter), merchant_id: request.merchantId };
  const list = boundedList(waiting, readingOf(own, states, order), placing);
  const [found, counted] = await Promise.all([
    list.page(placeOf(request.cursor), limit),
    request.withoutTotal ? undefined : list.count(),
  ]);
  // Both lists are complete up to this place.
  const end = earlier(
    order,
    page.nextCursor === "" ? undefined : placeOf(page.nextCursor),
    found.next,
  );
  const known = new Set(page.payouts.map(({ id }) => id));
  const others = found.shown.map((each) => listedWaiting(asWaiting(each)));
  const all = [...page.payouts, ...others.filter(({ id }) => !known.has(id))]
    .filter((each) => end === undefined || comparePlaces(order, placed(each), end) <= 0)
    .toSorted((one, other) => comparePlaces(order, placed(one), placed(other)));
  const payouts = all.slice(0, limit);
  const last = payouts.at(-1);
  const next = all.length > limit && last !== undefined ? placed(last) : end;
  return {
    payouts,
    nextCursor: next === undefined ? "" : writePlace(order, binding, next),
    totalCount: page.totalCount + (counted?.totalCount ?? 0n),
    totalCountCapped: page.totalCountCapped === true || counted?.totalCountCapped === true,
  };
}

function earlier(order: OrderName, one: Place | undefined, other: Place | undefined) {
  if (one === undefined || other === undefined) return one ?? other;
  return comparePlaces(order, one, other) <= 0 ? one : other;
}

/**
 * Chooses the index of a list of waiting payouts. Few of them exist at a time, so the other
 * conditions get no index of their own: they are compared in at most 10,000 documents.
 */
function readingOf(
  filter: OwnFilter,
  states: Filter<OrderDocument>,
  order: OrderName,
): BoundedReading {
  const byName = filter.beneficiary_name !== undefined;
  const isAmount = isByAmount(order) && !byName;
  const served = new Set([
    "merchant_id",
    ...(isAmount ? ["source", "source_minor"] : ["created_at"]),
    ...(byName ? ["beneficiary_name"] : []),
  ]);
  const entries = Object.entries(filter);
  const those = (isServed: boolean) =>
    Object.fromEntries(entries.filter(([name]) => served.has(name) === isServed));
  const indexed = { ...those(true), "balance.listed": true };
  const rest = { ...those(false), ...states };
  const hint = byName ? "list_beneficiary_name" : isAmount ? "list_amount" : "list";
  return {
    order,
    indexed,
    filter: { ...indexed, ...rest },
    ...(Object.keys(rest).length > 0 && { rest }),
    options: { ...collated(filter), hint },
  };
}

const noAmount = toDecimal128(0n);

const placing: Placing<OrderDocument> = {
  named: renamed,
  // The last place that may be read has no amount in an order by time, which doesn't compare it.
  placeOf: ({ _id, created_at, balance }) => {
    return { _id, created_at, source_minor: balance?.quoted.source_minor ?? noAmount };
  },
};

function placed({ id, createdAt, sourceAmount, sourceCurrencyCode }: ListedPayout): Place {
  if (createdAt === undefined) throw new Error("a listed payout has no time of creation");
  const source_minor = toDecimal128(readAmount(sourceAmount, sourceCurrencyCode));
  return { _id: id, created_at: timestampDate(createdAt), source_minor };
}

/** The fields of a waiting payout, by those of a payout. */
const names: Readonly<Record<string, string>> = {
  "order.details.reference_id": "details.reference_id",
  "order.details.metadata": "details.metadata",
  "order.quote_id": "balance.quoted.id",
  beneficiary_name: "balance.quoted.beneficiary.name",
  source_minor: "balance.quoted.source_minor",
};

/** Returns a filter of payouts as one of waiting payouts. */
function renamed(filter: object): object {
  const entries = Object.entries(filter).map(([name, value]) => {
    const isList = name === "$and" || name === "$or" || name === "$nor";
    return [names[name] ?? name, isList ? value.map(renamed) : value];
  });
  return Object.fromEntries(entries);
}

/** The status, the sub-status and the failure code are compared with the state instead. */
function withoutStates(filter: PayoutFilter): PayoutFilter {
  const { status: _, "progress.stage": __, $and: ___, ...rest } = filter;
  return rest;
}

/** The states of waiting payouts, by the sub-status that they show. */
const bySubStatus: Partial<Record<PayoutSubStatus, OrderState["state"]>> = {
  [PayoutSubStatus.AWAITING_BALANCE]: "waiting",
  [PayoutSubStatus.AWAITING_APPROVAL]: "awaiting_approval",
  [PayoutSubStatus.REJECTED]: "failed",
  [PayoutSubStatus.CANCELLED]: "cancelled",
};

const byStatus: Readonly<Record<string, readonly OrderState["state"][]>> = {
  initiated: ["waiting", "awaiting_approval"],
  failed: ["failed", "cancelled"],
};

/** Returns the filter for the states of a request, or `undefined` if no waiting payout has them. */
function statesOf(request: ListPayoutsRequest): Filter<OrderDocument> | undefined {
  const { subStatus, failureCode } = request;
  const status = enumName(PayoutStatus, request.status);
  const wanted: Filter<OrderDocument>[] = [];
  if (subStatus !== PayoutSubStatus.UNSPECIFIED) {
    const state = bySubStatus[subStatus];
    if (state === undefined) return undefined;
    wanted.push({ state });
  }
  if (status !== undefined) wanted.push({ state: { $in: [...(byStatus[status] ?? [])] } });
  if (failureCode !== "") wanted.push(failedWith(failureCode));
  return wanted.length === 0 ? {} : { $and: wanted };
}

function failedWith(code: string): Filter<OrderDocument> {
  const because = cancellationOf(code);
  if (because === undefined || because === "approval_expired") {
    return { state: "failed", failure: code } as Filter<OrderDocument>;
  }
  return { state: "cancelled", rejection: { $exists: because === "approval_rejected" } };
}
