import { type PageCursor, writeCursor } from "./page-cursor.ts";

/** The order of every list: newest first, those of one moment by id. Its indexes end so. */
export const newestFirst = { created_at: -1, _id: -1 } as const;

/** A condition of a filter on the keys that lists are ordered by. */
export type PageCondition =
  | { created_at: { $lte: Date } }
  | { $or: [{ created_at: { $lt: Date } }, { _id: { $lt: string } }] };

/**
 * What the records behind a cursor fulfil, all of it. The first bound is where an index starts,
 * however far down the page is; the second drops those of the same moment that were shown before.
 */
export function behind({ at, id }: PageCursor): PageCondition[] {
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

/**
 * One page of records that were read newest first, one more than `limit` of them: the extra one
 * tells that there is a further page.
 */
export function cutPage<T extends { readonly id: string; readonly createdAt: Date }>(
  read: readonly T[],
  limit: number,
): { readonly shown: readonly T[]; readonly nextCursor: string } {
  const shown = read.slice(0, limit);
  const last = read.length > limit ? shown.at(-1) : undefined;
  return { shown, nextCursor: last ? writeCursor({ at: last.createdAt, id: last.id }) : "" };
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
