import { infiniteQueryOptions } from "@tanstack/react-query";
import { exportRowsMax, type Page } from "./pages.ts";
import { answerOf } from "./rpc.ts";

/** How one page of an RPC's list is read. */
export type ReadPage<T> = (page: { limit: number; cursor: string }) => Promise<Page<T>>;

/** Items of a page on the screen. */
const pageSize = 25;
/** The most that lists give at once. */
const pageSizeMax = 100;

/** A page without a count of all. */
export function pageOf<T>(items: readonly T[], next: string, total?: bigint): Page<T> {
  return { items, next, total: total === undefined ? undefined : Number(total), isCapped: false };
}

/** A list of an RPC that grows page by page. */
export function rpcPagesOf<T>(key: readonly unknown[], read: ReadPage<T>) {
  return infiniteQueryOptions({
    queryKey: key,
    queryFn: ({ pageParam }) => answerOf(read({ limit: pageSize, cursor: pageParam })),
    initialPageParam: "",
    getNextPageParam: ({ next }) => (next === "" ? undefined : next),
  });
}

/** Every item of a list up to a number. */
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
