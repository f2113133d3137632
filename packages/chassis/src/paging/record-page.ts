import { type PageCursor, writeCursor } from "./cursor.ts";

/** The order of most lists, and of the last keys of their indexes: newest first, then by id. */
export const newestFirst = { created_at: -1, _id: -1 } as const;

/** The order of short lists: accounts, endpoints. */
export const oldestFirst = { created_at: 1, _id: 1 } as const;

type ListOrder = typeof newestFirst | typeof oldestFirst;

/** The conditions after a cursor: the first bounds the scan, the second excludes what was shown. */
export function behind({ at, id }: PageCursor, order: ListOrder = newestFirst) {
  const isOlder = order === newestFirst;
  const key = <T>(value: T) => (isOlder ? { $lt: value } : { $gt: value });
  return [
    { created_at: isOlder ? { $lte: at } : { $gte: at } },
    { $or: [{ created_at: key(at) }, { _id: key(id) }] },
  ];
}

/** A filter on the time of creation: `from` inclusive, `to` exclusive; empty without either. */
export function createdWithin(
  from: Date | undefined,
  to: Date | undefined,
): { created_at?: { $gte?: Date; $lt?: Date } } {
  if (from === undefined && to === undefined) return {};
  return { created_at: { ...(from && { $gte: from }), ...(to && { $lt: to }) } };
}

type Page<T> = { readonly shown: readonly T[]; readonly nextCursor: string };

/** One page of records in order of creation, of which one more than `limit` were read. */
export function cutPage<T extends { readonly id: string; readonly createdAt: Date }>(
  read: readonly T[],
  limit: number,
): Page<T> {
  return cutPageBy(read, limit, ({ createdAt, id }) => writeCursor({ at: createdAt, id }));
}

/** One page of records in any order, whose cursors `cursorOf` writes. */
export function cutPageBy<T>(read: readonly T[], limit: number, cursorOf: (last: T) => string) {
  const shown = read.slice(0, limit);
  const last = read.length > limit ? shown.at(-1) : undefined;
  return { shown, nextCursor: last === undefined ? "" : cursorOf(last) };
}

/** Counting stops here (decisions: payouts). */
export const countMax = 10_000;

/** The total of a list that was counted up to `countMax` + 1. */
export function countedTotal(counted: number) {
  const totalCount = BigInt(Math.min(counted, countMax));
  return { totalCount, totalCountCapped: counted > countMax };
}
