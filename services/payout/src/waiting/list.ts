import { timestampDate } from "@bufbuild/protobuf/wkt";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { countUpToMax, readLimit } from "@disburse/chassis/paging/page.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type ListedPayout,
  type ListPayoutsRequest,
  type ListPayoutsResponse,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { readAmount } from "@disburse/kernel/money.ts";
import type { Filter, Sort } from "mongodb";
import type { OrderDocument, Orders } from "../orders/document.ts";
import type { OrderState } from "../orders/rules/order.ts";
import { collated, readListing } from "../payouts/list.ts";
import {
  afterPlace,
  comparePlaces,
  type Place,
  readPlace,
  sortOf,
  writePlace,
} from "../payouts/list-order.ts";
import { cancellationOf } from "../payouts/rules/failure.ts";
import { asWaiting } from "./document.ts";
import { isShown } from "./store.ts";
import { listedWaiting } from "./wire.ts";

type Page = Pick<ListPayoutsResponse, "payouts" | "nextCursor"> & {
  /** Absent if the request wants no count. */
  readonly totalCount?: bigint;
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
  if (states === undefined || request.batchId !== "") return page;
  const own = { ...renamed(withoutStates(filter)), merchant_id: request.merchantId };
  const matching = { $and: [own, isShown, states] } as Filter<OrderDocument>;
  const limit = orThrow(readLimit(request.limit));
  const placeOf = (cursor: string) => orThrow(readPlace(cursor, order, binding));
  const later = renamed(afterPlace({}, order, placeOf(request.cursor)));
  const options = collated(filter);
  const [found, count] = await Promise.all([
    waiting
      .find({ $and: [matching, later] } as Filter<OrderDocument>, options)
      .sort(renamed(sortOf(order) as object) as Sort)
      .limit(limit + 1)
      .toArray(),
    page.totalCount === undefined ? 0 : countUpToMax(waiting, matching, options),
  ]);
  // A page with fewer payouts than requested ends where its list stopped reading.
  const isCut = page.nextCursor !== "" && page.payouts.length < limit;
  const end = isCut ? placeOf(page.nextCursor) : undefined;
  const known = new Set(page.payouts.map(({ id }) => id));
  const others = found
    .map((each) => listedWaiting(asWaiting(each)))
    .filter(({ id }) => !known.has(id))
    .filter((each) => end === undefined || comparePlaces(order, placed(each), end) <= 0);
  const all = [...page.payouts, ...others].toSorted((one, other) =>
    comparePlaces(order, placed(one), placed(other)),
  );
  const payouts = all.slice(0, limit);
  const last = payouts.at(-1);
  const isEnd = last === undefined || (all.length <= limit && (isCut || page.nextCursor === ""));
  return {
    payouts,
    nextCursor: isEnd ? page.nextCursor : writePlace(order, binding, placed(last)),
    ...(page.totalCount !== undefined && { totalCount: page.totalCount + BigInt(count) }),
    ...(page.totalCountCapped === true && { totalCountCapped: true }),
  };
}

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
    const isList = name === "$and" || name === "$or";
    return [names[name] ?? name, isList ? value.map(renamed) : value];
  });
  return Object.fromEntries(entries);
}

/** The status, the sub-status and the failure code are compared with the state instead. */
function withoutStates(filter: object): object {
  const { status: _, "progress.stage": __, $and: ___, ...rest } = filter as Record<string, unknown>;
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
