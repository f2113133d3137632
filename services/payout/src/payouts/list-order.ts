import { createHash } from "node:crypto";
import type { EnumName } from "@disburse/chassis/enum-names.ts";
import { fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import {
  afterCursor,
  newestFirst,
  oldestFirst,
  readStart,
  writeCursor,
} from "@disburse/chassis/paging/page.ts";
import type { PayoutOrderBy } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Filter, Sort } from "mongodb";
import type { PayoutDocument } from "./document.ts";

/** The name of the list of payouts in its cursors. */
export const listName = "payouts";

export type OrderName = EnumName<typeof PayoutOrderBy>;

/** A payout's values of the sort keys: its position in a list. */
export type Place = Pick<PayoutDocument, "_id" | "created_at" | "source_minor">;

type Key = readonly [key: keyof Place, direction: 1 | -1];

/** Each order has the keys of an index, all in the index's direction or all reversed. */
const orders: Readonly<Record<OrderName, readonly [Key, ...Key[]]>> = {
  newest: [
    ["created_at", -1],
    ["_id", -1],
  ],
  oldest: [
    ["created_at", 1],
    ["_id", 1],
  ],
  lowest: [
    ["source_minor", 1],
    ["created_at", -1],
    ["_id", -1],
  ],
  highest: [
    ["source_minor", -1],
    ["created_at", 1],
    ["_id", 1],
  ],
};

export const isByAmount = (order: OrderName): boolean => order === "lowest" || order === "highest";

export const sortOf = (order: OrderName): Sort => Object.fromEntries(orders[order]) as Sort;

/** Projects a payout to its place. The index has all these fields, so no document is read. */
export const placeFields = (order: OrderName) =>
  Object.fromEntries(orders[order].map(([key]) => [key, 1]));

/**
 * Matches the payouts after a place, with one filter for each sort key. Such a payout has the same
 * values of the keys before it, and a value beyond the place's own of this key.
 */
function placesAfter(order: OrderName, place: Place): Filter<PayoutDocument>[] {
  return orders[order].map(([key, direction], at, keys) => ({
    ...Object.fromEntries(keys.slice(0, at).map(([equal]) => [equal, place[equal]])),
    [key]: { [direction === 1 ? "$gt" : "$lt"]: place[key] },
  }));
}

/** Narrows a filter to the payouts after a place. The index scan starts there. */
export function afterPlace(
  filter: Filter<PayoutDocument>,
  order: OrderName,
  place: Place | undefined,
): Filter<PayoutDocument> {
  if (place === undefined) return filter;
  if (!isByAmount(order)) {
    const { created_at: at, _id: id } = place;
    return afterCursor(filter, { at, id }, order === "newest" ? newestFirst : oldestFirst);
  }
  return beyondPlace(filter, order, place);
}

/**
 * Like `afterPlace`, with one index scan for each sort key. The engine then has a single plan. It
 * would compare several by running them, and the embedded engine can't end that for a long scan.
 */
export function beyondPlace(
  filter: Filter<PayoutDocument>,
  order: OrderName,
  place: Place | undefined,
): Filter<PayoutDocument> {
  if (place === undefined) return filter;
  return { $or: placesAfter(order, place).map((after) => ({ $and: [filter, after] })) };
}

/** Matches the payouts up to and including a place. The index scan ends there. */
export function upToPlace(order: OrderName, place: Place): Filter<PayoutDocument> {
  const [[first, direction]] = orders[order];
  const end = { [first]: { [direction === 1 ? "$lte" : "$gte"]: place[first] } };
  // `end` excludes the places beyond the first key. Excluded twice, the engine would have two plans.
  const [, ...beyond] = placesAfter(order, place);
  return { $and: [end, { $nor: beyond }] };
}

/** Compares two places by an order. */
export function comparePlaces(order: OrderName, one: Place, other: Place): number {
  for (const [key, direction] of orders[order]) {
    const [a, b] = [sortValue(one[key]), sortValue(other[key])];
    if (a !== b) return a < b ? -direction : direction;
  }
  return 0;
}

function sortValue(value: Place[keyof Place]): number | bigint | string {
  if (value instanceof Date) return value.getTime();
  return typeof value === "string" ? value : fromDecimal128(value);
}

/**
 * Returns the digest that binds a cursor to its order and filters. It is "" for the default order
 * without filters, whose cursors have no digest.
 */
export function bindingOf(order: OrderName, filter: object): string {
  if (order === "newest" && Object.keys(filter).length === 0) return "";
  const text = JSON.stringify([order, filter]);
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}

/** Writes a cursor. Without a binding, it has the form of all other lists' cursors. */
export function writePlace(order: OrderName, binding: string, place: Place): string {
  const { created_at: at, _id: id } = place;
  if (binding === "") return writeCursor(listName, { at, id });
  const minor = isByAmount(order) ? fromDecimal128(place.source_minor) : "";
  return Buffer.from(`${binding}/${minor}/${at.getTime()}/${id}`).toString("base64url");
}

const boundText = /^([\w-]{12})\/(\d{0,34})\/(\d{1,15})\/([A-Za-z0-9_:.-]{1,128})$/;

const otherList = refused(
  "INVALID_REQUEST",
  "cursor: was used with another sort or other filters than those of its list",
);

/** Returns the place after which a page starts, or `undefined` for the first page. */
export function readPlace(
  cursor: string,
  order: OrderName,
  binding: string,
): Place | undefined | Refused<"INVALID_REQUEST"> {
  const bound = boundText.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  if (bound === null) return readUnbound(cursor, order);
  const [, its, minor = "", at, id = ""] = bound;
  if (its !== binding) return otherList;
  const place = { created_at: new Date(Number(at)), _id: id };
  return { ...place, source_minor: toDecimal128(BigInt(minor)) };
}

/** Reads a cursor without a digest. The default order accepts it with any filters. */
function readUnbound(cursor: string, order: OrderName) {
  const start = readStart(listName, cursor);
  if (start === undefined || isRefused(start)) return start;
  if (order !== "newest") return otherList;
  return { created_at: start.at, _id: start.id, source_minor: toDecimal128(0n) };
}
