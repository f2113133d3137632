import { type Page, type ReadPage, readAllFrom, type Source } from "./pages.ts";
import { answerOf } from "./rpc.ts";

export function pageOf<T>(items: readonly T[], next: string, total?: bigint): Page<T> {
  return { items, next, total: total === undefined ? undefined : Number(total), isCapped: false };
}

/** A list that RPCs read. */
export const rpcSource = <T>(key: readonly unknown[], read: ReadPage<T>): Source<T> => ({
  key,
  read: (page) => answerOf(read(page)),
});

/** Reads all pages, up to a maximum number of items. */
export const readAllPages = <T>(read: ReadPage<T>, max?: number) =>
  readAllFrom(rpcSource([], read), max);
