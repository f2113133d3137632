import { type Chunk, chunkLines, lineEntry } from "./chunks.ts";
import type { ListEntry } from "./rules/entry.ts";

/** Entries that two states of a list do not share; of a changed one, both forms by its uid. */
export type EntryDifference = {
  readonly added: readonly ListEntry[];
  readonly changed: readonly { readonly before: ListEntry; readonly after: ListEntry }[];
  readonly removed: readonly ListEntry[];
};

/** Compares chunks by their lines: only lines that the other side has not are read as entries. */
export function compareChunks(before: readonly Chunk[], after: readonly Chunk[]): EntryDifference {
  const oldLines = new Set(before.flatMap(chunkLines));
  const newLines = new Set(after.flatMap(chunkLines));
  const oldByUid = new Map<string, ListEntry>();
  for (const line of oldLines.difference(newLines)) {
    const entry = lineEntry(line);
    oldByUid.set(entry.uid, entry);
  }
  const added: ListEntry[] = [];
  const changed: { before: ListEntry; after: ListEntry }[] = [];
  for (const line of newLines.difference(oldLines)) {
    const entry = lineEntry(line);
    const old = oldByUid.get(entry.uid);
    oldByUid.delete(entry.uid);
    if (old === undefined) added.push(entry);
    else changed.push({ before: old, after: entry });
  }
  return { added, changed, removed: [...oldByUid.values()] };
}

/** The chunks of each side that the other one has not. */
export function unshared<T>(
  before: readonly T[],
  after: readonly T[],
): { readonly before: T[]; readonly after: T[] } {
  const [old, fresh] = [new Set(before), new Set(after)];
  return {
    before: before.filter((each) => !fresh.has(each)),
    after: after.filter((each) => !old.has(each)),
  };
}
