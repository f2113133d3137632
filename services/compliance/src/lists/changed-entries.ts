import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChangedEntries, ImportRef, ListDifference } from "../screening/screening-index.ts";
import { chunkBucket } from "./chunks.ts";
import { compareChunks, unshared } from "./difference.ts";
import type { ListEntry } from "./rules/entry.ts";
import type { ListStore } from "./store.ts";

type Store = Pick<ListStore, "importChunks" | "readChunks">;

/** Reads what differs between two sets of lists; only chunks that are not shared are read. */
export function changedEntriesOf(store: Store): ChangedEntries {
  return async (from, to) => {
    const differences: ListDifference[] = [];
    for (const list of new Set([...from, ...to].map((each) => each.list))) {
      const before = await store.importChunks(importOf(list, from));
      const after = await store.importChunks(importOf(list, to));
      const difference = await differenceOf(store, list, before, after);
      const { added, changed, removed } = difference;
      if (added.length + changed.length + removed.length > 0) differences.push(difference);
    }
    return differences;
  };
}

function importOf(list: string, refs: readonly ImportRef[]): string {
  return refs.find((ref) => ref.list === list)?.importId ?? "";
}

/** One bucket after the other, each in a turn of its own: some milliseconds for 700 entries. */
async function differenceOf(
  store: Store,
  list: string,
  before: readonly string[],
  after: readonly string[],
): Promise<ListDifference> {
  const added: ListEntry[] = [];
  const changed: ListEntry[] = [];
  const removed: ListEntry[] = [];
  const apart = unshared(before, after);
  const buckets = new Set([...apart.before, ...apart.after].map(chunkBucket));
  for (const bucket of buckets) {
    const inBucket = (id: string): boolean => chunkBucket(id) === bucket;
    const old = await store.readChunks(apart.before.filter(inBucket));
    const fresh = await store.readChunks(apart.after.filter(inBucket));
    await nextTurn();
    const difference = compareChunks(old, fresh);
    added.push(...difference.added);
    changed.push(...difference.changed.flatMap((both) => [both.before, both.after]));
    removed.push(...difference.removed);
  }
  return { list, added, changed, removed };
}
