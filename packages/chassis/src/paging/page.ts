import { invalidCursor, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Collection, Filter, FindOptions } from "mongodb";
import { orThrow } from "../rpc/refusal.ts";

/** The sort keys of the last record of a page. */
export type PageCursor = { readonly at: Date; readonly id: string };

/** The default size of a page (decisions: payouts). */
export const pageLimitDefault = 20;
/** The maximum size of a page, so that a page stays well under 1 MiB of JSON. */
export const pageLimitMax = 100;

/**
 * Encodes a cursor as the opaque text of the public API. It has its list's name in lower case, so
 * that other lists refuse it.
 */
export function writeCursor(list: string, { at, id }: PageCursor): string {
  return Buffer.from(`${list}.${at.getTime()}.${id}`).toString("base64url");
}

const cursorText = /^([a-z_]+)\.(\d{1,15})\.([A-Za-z0-9_:.-]{1,128})$/;

/** Reads a cursor. Returns `undefined` if the text is not a valid cursor of the list. */
export function readCursor(list: string, text: string): PageCursor | undefined {
  const match = cursorText.exec(Buffer.from(text, "base64url").toString("latin1"));
  const [, its, at, id] = match ?? [];
  return its !== list || id === undefined ? undefined : { at: new Date(Number(at)), id };
}

/** Returns the page size for a requested limit, at most `max`. 0 selects the default. */
export function readLimit(limit: number, max = pageLimitMax, byDefault = pageLimitDefault) {
  if (limit === 0) return byDefault;
  if (limit >= 1 && limit <= max) return limit;
  return refused("INVALID_REQUEST", `limit: must be between 1 and ${max}`);
}

/** Reads the cursor after which a page starts. Returns `undefined` for the first page. */
export function readStart(
  list: string,
  cursor: string,
): PageCursor | undefined | Refused<"INVALID_REQUEST"> {
  return cursor === "" ? undefined : (readCursor(list, cursor) ?? invalidCursor);
}

/** Encodes the cursor of a list whose records have numbers. */
export function writeNumber(list: string, number: number | bigint): string {
  return Buffer.from(`${list}.${number}`).toString("base64url");
}

const numberText = /^([a-z_]+)\.(\d{1,15})$/;

/** Reads the number at which a page starts. Returns `undefined` for the first page. */
export function readNumber(
  list: string,
  cursor: string,
): number | undefined | Refused<"INVALID_REQUEST"> {
  if (cursor === "") return undefined;
  const match = numberText.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  return match?.[1] === list ? Number(match[2]) : invalidCursor;
}

/**
 * The order of most lists: newest first, then by id. The last keys of their indexes have the same
 * order.
 */
export const newestFirst = { created_at: -1, _id: -1 } as const;

/** The order of short lists: accounts, endpoints. */
export const oldestFirst = { created_at: 1, _id: 1 } as const;

type ListOrder = typeof newestFirst | typeof oldestFirst;

/**
 * Returns a filter for the records after a cursor. Its first condition is where the index scan
 * starts. The second excludes records of the same time that were on the previous page.
 */
export function afterCursor<T>(
  filter: Filter<T>,
  cursor: PageCursor | undefined,
  order: ListOrder = newestFirst,
): Filter<T> {
  if (cursor === undefined) return filter;
  const { at, id } = cursor;
  const isOlder = order === newestFirst;
  const beyond = <V>(value: V) => (isOlder ? { $lt: value } : { $gt: value });
  const start = { created_at: isOlder ? { $lte: at } : { $gte: at } };
  const unseen = { $or: [{ created_at: beyond(at) }, { _id: beyond(id) }] };
  return { $and: [filter, start, unseen] } as Filter<T>;
}

/**
 * Returns a filter on the creation time. `from` is inclusive and `to` is exclusive. Without both,
 * the filter is empty.
 */
export function createdWithin(
  from: Date | undefined,
  to: Date | undefined,
): { created_at?: { $gte?: Date; $lt?: Date } } {
  if (from === undefined && to === undefined) return {};
  return { created_at: { ...(from && { $gte: from }), ...(to && { $lt: to }) } };
}

/** Cuts a page from up to `limit` + 1 records. If there is an extra record, a next page exists. */
export function cutPage<T>(read: readonly T[], limit: number, cursorOf: (last: T) => string) {
  const shown = read.slice(0, limit);
  const last = read.length > limit ? shown.at(-1) : undefined;
  return { shown, nextCursor: last === undefined ? "" : cursorOf(last) };
}

export type PageRequest = { readonly limit: number; readonly cursor: string };

export type PageRange = { readonly after: PageCursor | undefined; readonly limit: number };

/** Reads the requested page of a list with `read`. */
export async function readPage<T>(
  list: string,
  request: PageRequest,
  read: (range: PageRange) => Promise<readonly T[]>,
  cursorOf: (last: T) => PageCursor,
) {
  const limit = orThrow(readLimit(request.limit));
  const after = orThrow(readStart(list, request.cursor));
  const found = await read({ after, limit: limit + 1 });
  return cutPage(found, limit, (last) => writeCursor(list, cursorOf(last)));
}

type Listed = { _id: string; created_at: Date };
type ListOptions = FindOptions & { readonly order?: ListOrder };

/**
 * Returns a page of the documents that match a filter, in the order of their creation. All lists of
 * a collection accept each other's cursors.
 */
export function findPage<T extends Listed>(
  documents: Collection<T>,
  filter: Filter<T>,
  request: PageRequest,
  { order = newestFirst, ...options }: ListOptions = {},
) {
  return readPage(
    documents.collectionName,
    request,
    ({ after, limit }) =>
      documents
        .find(afterCursor(filter, after, order), options)
        .sort(order)
        .limit(limit)
        .toArray(),
    ({ created_at: at, _id: id }) => ({ at, id }),
  );
}

/** Returns a page and the count of all documents that match the filter. */
export async function findCountedPage<T extends Listed>(
  documents: Collection<T>,
  filter: Filter<T>,
  request: PageRequest,
  options: ListOptions = {},
) {
  const { hint } = options;
  const [page, count] = await Promise.all([
    findPage(documents, filter, request, options),
    countUpToMax(documents, filter, hint === undefined ? {} : { hint }),
  ]);
  return { ...page, ...countedTotal(count) };
}

/** The highest exact count (decisions: payouts). */
export const countMax = 10_000;

/** Counts the documents that match a filter, up to `countMax` + 1. */
export function countUpToMax<T extends Listed>(
  documents: Collection<T>,
  filter: Filter<T>,
  options: Pick<FindOptions, "hint" | "collation"> = {},
): Promise<number> {
  return documents.countDocuments(filter, { ...options, limit: countMax + 1 });
}

/** Returns the total of a list that was counted up to `countMax` + 1. */
export function countedTotal(counted: number) {
  const totalCount = BigInt(Math.min(counted, countMax));
  return { totalCount, totalCountCapped: counted > countMax };
}
