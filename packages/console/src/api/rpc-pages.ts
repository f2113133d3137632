import { infiniteQueryOptions } from "@tanstack/react-query";
import { exportRowsMax, type Page } from "./pages.ts";
import { answerOf } from "./rpc.ts";

export type ReadPage<T> = (page: { limit: number; cursor: string }) => Promise<Page<T>>;

const pageSize = 25;
/** The maximum page size of RPC lists. */
const pageSizeMax = 100;

export function pageOf<T>(items: readonly T[], next: string, total?: bigint): Page<T> {
  return { items, next, total: total === undefined ? undefined : Number(total), isCapped: false };
}

export function rpcPagesOf<T>(key: readonly unknown[], read: ReadPage<T>) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam }) => answerOf(read({ limit: pageSize, cursor: pageParam })),
    initialPageParam: "",
    getNextPageParam: ({ next }) => (next === "" ? undefined : next),
  });
}

/** Reads all pages, up to a maximum number of items. */
export async function readAllPages<T>(read: ReadPage<T>, max = exportRowsMax) {
  const items: T[] = [];
  let cursor = "";
  do {
    const page = await answerOf(read({ limit: pageSizeMax, cursor }));
    items.push(...page.items);
    cursor = page.next;
  } while (cursor !== "" && items.length < max);
  return { items: items.slice(0, max), isCut: cursor !== "" || items.length > max };
}
