import { infiniteQueryOptions } from "@tanstack/react-query";
import { get, type Query } from "./request.ts";

/** What the public lists say beside their items. */
type PageMeta = {
  readonly total_count: number;
  readonly next_cursor: string;
  readonly total_count_capped?: boolean;
};

/** A page of a list. */
export type Page<T> = {
  readonly items: readonly T[];
  readonly next: string;
  /** Of all pages; undefined where the list does not count. */
  readonly total: number | undefined;
  readonly isCapped: boolean;
};

/** Where a public list is, and by which name its answer has the items. */
export type ListOf<T> = {
  readonly path: string;
  readonly items: string;
  /** Only names the type of an item. */
  readonly item?: T;
};

/** Items of a page on the screen. */
const pageSize = 25;

/** The most that the public lists give at once. */
const pageSizeMax = 100;

/** A file has so many rows at most: 100 requests, which a session's rate allows. */
export const exportRowsMax = 10_000;

/** Reads one page of a public list. */
export async function readPage<T>(list: ListOf<T>, query: Query): Promise<Page<T>> {
  const data = await get<Record<string, unknown>>(list.path, { limit: pageSize, ...query });
  const meta = data["meta_data"] as PageMeta;
  return {
    items: data[list.items] as T[],
    next: meta.next_cursor,
    total: meta.total_count,
    isCapped: meta.total_count_capped ?? false,
  };
}

/** A public list that grows page by page. */
export function pagesOf<T>(list: ListOf<T>, query: Query = {}) {
  return infiniteQueryOptions({
    queryKey: [list.path, query],
    queryFn: ({ pageParam }) => readPage(list, { ...query, cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => (next === "" ? undefined : next),
  });
}

/** Every item of a public list up to a number, page after page. */
export async function readAll<T>(list: ListOf<T>, query: Query = {}, max = exportRowsMax) {
  const items: T[] = [];
  let cursor = "";
  do {
    const page = await readPage(list, { ...query, limit: pageSizeMax, cursor });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== "" && items.length < max);
  return { items: items.slice(0, max), isCut: cursor !== "" || items.length > max };
}
