import { type PageCursor, writeCursor } from "./cursor.ts";

/** The order of most lists: newest first, those of one moment by id. Its indexes end so. */
export const newestFirst = { created_at: -1, _id: -1 } as const;

/** The order of lists that only grow at their end and stay short: accounts, endpoints. */
export const oldestFirst = { created_at: 1, _id: 1 } as const;

/** A condition of a filter on the keys that lists are ordered by. */
export type PageCondition =
  | { created_at: { $lte: Date } | { $gte: Date } }
  | { $or: [{ created_at: { $lt: Date } }, { _id: { $lt: string } }] }
  | { $or: [{ created_at: { $gt: Date } }, { _id: { $gt: string } }] };

/**
 * What the records behind a cursor fulfil, all of it. The first bound is where an index starts,
 * however far down the page is; the second drops those of the same moment that were shown before.
 */
export function behind(
  { at, id }: PageCursor,
  order: typeof newestFirst | typeof oldestFirst = newestFirst,
): PageCondition[] {
  if (order === oldestFirst) {
    return [
      { created_at: { $gte: at } },
      { $or: [{ created_at: { $gt: at } }, { _id: { $gt: id } }] },
    ];
  }
  return [
    { created_at: { $lte: at } },
    { $or: [{ created_at: { $lt: at } }, { _id: { $lt: id } }] },
  ];
}

/** A filter on the time of creation: `from` inclusive, `to` exclusive; empty where neither is. */
export function createdWithin(
  from: Date | undefined,
  to: Date | undefined,
): { created_at?: { $gte?: Date; $lt?: Date } } {
  if (from === undefined && to === undefined) return {};
  return {
    created_at: {
      ...(from === undefined ? {} : { $gte: from }),
      ...(to === undefined ? {} : { $lt: to }),
    },
  };
}

type Page<T> = { readonly shown: readonly T[]; readonly nextCursor: string };

/**
 * One page of records that were read in order of their creation, one more than `limit` of them: the
 * extra one tells that there is a further page.
 */
export function cutPage<T extends { readonly id: string; readonly createdAt: Date }>(
  read: readonly T[],
  limit: number,
): Page<T> {
  return cutPageBy(read, limit, ({ createdAt, id }) => writeCursor({ at: createdAt, id }));
}

/** The same of a list in another order, or of other records, whose cursors `cursorOf` writes. */
export function cutPageBy<T>(
  read: readonly T[],
  limit: number,
  cursorOf: (last: T) => string,
): Page<T> {
  const shown = read.slice(0, limit);
  const last = read.length > limit ? shown.at(-1) : undefined;
  return { shown, nextCursor: last === undefined ? "" : cursorOf(last) };
}

/** Counting stops here where a count is not kept (decisions: payouts). */
export const countMax = 10_000;

/** The count of a list whose records were counted up to `countMax` and one. */
export function countedTotal(counted: number): { totalCount: bigint; totalCountCapped: boolean } {
  return {
    totalCount: BigInt(Math.min(counted, countMax)),
    totalCountCapped: counted > countMax,
  };
}
