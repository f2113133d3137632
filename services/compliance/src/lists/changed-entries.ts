import { setImmediate as nextTurn } from "node:timers/promises";
import {
  chunkBucket,
  chunkLines,
  compareChunks,
  entryBucket,
  lineEntry,
  retainedName,
  unshared,
} from "./chunks.ts";
import type { ListEntry } from "./rules/entry.ts";
import type { ImportRef } from "./rules/version.ts";
import type { ListStore } from "./store.ts";

/** The difference between two states of one list. */
export type ListDifference = {
  readonly list: string;
  readonly added: readonly ListEntry[];
  /** The old and the new form of each changed entry, under the same uid. */
  readonly changed: readonly ListEntry[];
  readonly removed: readonly ListEntry[];
};

type Store = Pick<ListStore, "importChunks" | "readChunks">;

export type ChangedEntries = ReturnType<typeof changedEntriesOf>;

/**
 * Returns a function that reads the differences between two sets of list states. Lists without a
 * difference are omitted. A list that is in only one set is compared with an empty list. Only
 * chunks that the sets do not share are read. Throws for an import that never came into force.
 */
export function changedEntriesOf(store: Store) {
  return async (
    from: readonly ImportRef[],
    to: readonly ImportRef[],
  ): Promise<ListDifference[]> => {
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

/**
 * Compares one bucket per turn of the event loop. A bucket of 700 entries takes some milliseconds.
 */
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

export type IsListed = ReturnType<typeof isListedIn>;

/**
 * Returns a function that tells if one of these list versions contains an entry. It reads only the
 * chunk that would contain the entry, and throws if that chunk cannot be read.
 */
export function isListedIn(store: Store) {
  return async (
    lists: readonly ImportRef[],
    { list, entryUid }: { readonly list: string; readonly entryUid: string },
  ): Promise<boolean> => {
    const importId = importOf(list, lists);
    return (await findEntry(store, { list, importId }, entryUid)) !== undefined;
  };
}

/**
 * Finds an entry in one state of a list. Reads only the chunks that would contain the entry. Throws
 * if they cannot be read.
 */
export async function findEntry(
  store: Store,
  { list, importId }: ImportRef,
  entryUid: string,
): Promise<ListEntry | undefined> {
  const chunks = await store.importChunks(importId);
  // The published entry takes precedence over a retained form.
  for (const name of [list, retainedName(list)]) {
    const bucket = entryBucket(name, entryUid);
    const read = await store.readChunks(chunks.filter((id) => chunkBucket(id) === bucket));
    const found = read
      .flatMap(chunkLines)
      .map(lineEntry)
      .find(({ uid }) => uid === entryUid);
    if (found !== undefined) return found;
  }
  return undefined;
}
