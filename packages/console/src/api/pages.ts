import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
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
  /** Warnings about items that are missing. */
  readonly warnings?: readonly string[];
};

/** The route of a public list and the name of its item field. */
export type ListOf<T> = {
  readonly path: string;
  readonly items: string;
  /** Carries only the item type; never set. */
  readonly item?: T;
};

/** Records that are read again only when a person asks for it, not after a change. */
export const onceOnly = { staleTime: "static" } as const;

const pageSize = 25;

/** The maximum page size of lists. */
const pageSizeMax = 100;

/** Maximum rows of an exported file: 100 requests, within a session's rate limit. */
export const exportRowsMax = 10_000;

export async function readPage<T>(list: ListOf<T>, query: Query): Promise<Page<T>> {
  const data = await get<Record<string, unknown>>(list.path, query);
  const meta = data["meta_data"] as PageMeta;
  return {
    items: data[list.items] as T[],
    next: meta.next_cursor,
    total: meta.total_count,
    isCapped: meta.total_count_capped ?? false,
  };
}

export type ReadPage<T> = (page: { limit: number; cursor: string }) => Promise<Page<T>>;

/** A list with the key of its query. */
export type Source<T> = { readonly key: readonly unknown[]; readonly read: ReadPage<T> };

export function sourceOf<T>(list: ListOf<T>, query: Query = {}): Source<T> {
  const read: ReadPage<T> = ({ limit, cursor }) => readPage(list, { limit, ...query, cursor });
  return { key: [list.path, query], read };
}

export function pagesFrom<T>({ key, read }: Source<T>) {
  return infiniteQueryOptions({
    queryKey: [...key, "pages"],
    queryFn: ({ pageParam }) => read({ limit: pageSize, cursor: pageParam }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => (next === "" ? undefined : next),
  });
}

/** A list that one request reads. */
export const wholeSource = <T>(
  key: readonly unknown[],
  read: () => Promise<readonly T[]>,
): Source<T> => ({
  key,
  read: async () => ({ items: await read(), next: "", total: undefined, isCapped: false }),
});

/** Reads all pages, up to a maximum number of items. */
export async function readAllFrom<T>({ read }: Pick<Source<T>, "read">, max = exportRowsMax) {
  const items: T[] = [];
  let cursor = "";
  do {
    const page = await read({ limit: pageSizeMax, cursor });
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== "" && items.length < max);
  return { items: items.slice(0, max), isCut: cursor !== "" || items.length > max };
}

export const readAll = <T>(list: ListOf<T>, query?: Query, max?: number) =>
  readAllFrom(sourceOf(list, query), max);

/** All items of a short list, such as accounts. */
export const allOf = <T>(list: ListOf<T>) =>
  queryOptions({ queryKey: [list.path, "all"], queryFn: () => readAll(list) });

/** The route of a list's record, or of an action on it. */
export const pathOf = ({ path }: { readonly path: string }, id: string, ending = "") =>
  `${path}/${encodeURIComponent(id)}${ending}`;

/** A record of a list, which may have more fields than the list's items. */
export const recordOf = <T>(list: { readonly path: string }, id: string, query: Query = {}) =>
  queryOptions({
    queryKey: [list.path, "one", id],
    queryFn: () => get<T>(pathOf(list, id), query),
  });
