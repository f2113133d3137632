import { infiniteQueryOptions } from "@tanstack/react-query";
import { get, type Query } from "./request.ts";

type PageMeta = {
  readonly total_count: number;
  readonly next_cursor: string;
  readonly total_count_capped?: boolean;
};

export type Page<T> = {
  readonly items: readonly T[];
  readonly next: string;
  /** Number of items on all pages; undefined if the list has no count. */
  readonly total: number | undefined;
  readonly isCapped: boolean;
};

/** The route of a public list and the name of its item field. */
export type ListOf<T> = {
  readonly path: string;
  readonly items: string;
  /** Carries only the item type; never set. */
  readonly item?: T;
};

const pageSize = 25;

/** The maximum page size of public lists. */
const pageSizeMax = 100;

/** Maximum rows of an exported file: 100 requests, within a session's rate limit. */
export const exportRowsMax = 10_000;

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

export function pagesOf<T>(list: ListOf<T>, query: Query = {}) {
  return infiniteQueryOptions({
    queryKey: [list.path, query],
    queryFn: ({ pageParam }) => readPage(list, { ...query, cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => (next === "" ? undefined : next),
  });
}

/** Reads all pages of a public list, up to a maximum number of items. */
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
