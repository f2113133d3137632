import { readFileSync } from "node:fs";
import type { WatchDeps } from "../index/watch.ts";
import type { Chunk } from "../lists/chunks.ts";
import { noneRetained, type StoredList } from "../lists/documents.ts";
import { readList } from "../lists/formats/list-format.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import type { ListVersion } from "../lists/rules/version.ts";

/** A store of one list, whose version may change. */
export function measuredStore(current: () => readonly Chunk[]): WatchDeps["store"] {
  return {
    listsInForce: async () => [storedList(current())],
    // Returns copies, because the bytes are transferred to threads.
    readChunks: async (ids: readonly string[]) => {
      const wanted = new Set(ids);
      return current()
        .filter(({ id }) => wanted.has(id))
        .map(({ id, bytes }) => ({ id, bytes: Uint8Array.from(bytes) }));
    },
  };
}

function storedList(chunks: readonly Chunk[]): StoredList {
  const ids = chunks.map(({ id }) => id);
  const [version = "", importId = version] = ids;
  const inForce = { chunks: ids, published: ids, retained: noneRetained };
  return { version: { ...measuredVersion, version, importId }, ...inForce };
}

/** Reads the entries of a list of JSON lines as `ImportList` does. */
export function entriesOf(path: string): ListEntry[] {
  const list = readList("json_lines", [{ name: "", bytes: readFileSync(path) }]);
  if ("problem" in list) throw new Error(`${path}: ${list.problem}`);
  return list.entries;
}

/** The version of the measured list. */
export const measuredVersion: ListVersion = {
  list: "measured",
  version: "1",
  importId: "1",
  entries: 0,
  checksum: "",
  importedAt: new Date(0),
};
