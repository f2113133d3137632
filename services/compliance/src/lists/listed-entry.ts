import type { ImportRef } from "../screening/screening-index.ts";
import { chunkBucket, chunkLines, entryBucket, lineEntry } from "./chunks.ts";
import type { ListStore } from "./store.ts";

/** Whether one of these states of lists has an entry of a list. Throws when it cannot be read. */
export type IsListed = (
  lists: readonly ImportRef[],
  entry: { readonly list: string; readonly entryUid: string },
) => Promise<boolean>;

/** Reads the one chunk of the list in which the entry is, if it is anywhere. */
export function isListedIn(store: Pick<ListStore, "importChunks" | "readChunks">): IsListed {
  return async (lists, { list, entryUid }) => {
    const importId = lists.find((each) => each.list === list)?.importId ?? "";
    const bucket = entryBucket(list, entryUid);
    const ids = (await store.importChunks(importId)).filter((id) => chunkBucket(id) === bucket);
    const lines = (await store.readChunks(ids)).flatMap(chunkLines);
    return lines.some((line) => lineEntry(line).uid === entryUid);
  };
}
