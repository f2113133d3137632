import { type Chunk, packEntries } from "./lists/chunks.ts";
import { noneRetained, type StoredList } from "./lists/documents.ts";
import type { ListEntry } from "./lists/rules/entry.ts";
import type { ListVersion } from "./lists/rules/version.ts";

/** Helpers for list tests: invented persons, and an in-memory store of lists. */
export function person(uid: string, name = `Person ${uid}`): ListEntry {
  const none = { births: [], countries: [], documents: [], wallets: [], programs: [] };
  return { uid, source: "", type: "individual", names: [{ name, kind: "primary" }], ...none };
}

const syllables = ["zol", "tva", "qui", "mbra", "ond", "rek", "vash", "tib", "mar", "ven", "dzhu"];

/** Returns `count` persons with different names. */
export function people(count: number): ListEntry[] {
  return Array.from({ length: count }, (_, at) => {
    const word = (of: number): string =>
      [of, Math.floor(of / 11), Math.floor(of / 121)].map((each) => syllables[each % 11]).join("");
    return person(`p${at}`, `${word(at)} ${word(at * 7 + 3)} ${word(Math.floor(at / 1_331) + 40)}`);
  });
}

export const personParty = (name: string) =>
  ({ type: "individual", name, date: "", countries: [], documents: [] }) as const;

export function version(list: string, name: string): ListVersion {
  const importedAt = new Date("2026-11-20T10:00:00Z");
  return { list, version: name, importId: `${list}-${name}`, entries: 0, checksum: "", importedAt };
}

/** An in-memory store of lists in force. `read` is the number of chunks that were read. */
export function memoryLists() {
  const chunks = new Map<string, Chunk>();
  const imports = new Map<string, readonly string[]>();
  const inForce = new Map<string, StoredList>();
  const store = {
    read: 0,
    put(list: string, name: string, entries: readonly ListEntry[]): void {
      const packed = packEntries(list, entries);
      for (const chunk of packed) chunks.set(chunk.id, chunk);
      const ids = packed.map(({ id }) => id);
      const retained = noneRetained;
      const stored = { version: version(list, name), chunks: ids, published: ids, retained };
      imports.set(stored.version.importId, stored.chunks);
      inForce.set(list, stored);
    },
    listsInForce: async (): Promise<StoredList[]> => [...inForce.values()],
    importChunks: async (importId: string): Promise<readonly string[]> =>
      imports.get(importId) ?? [],
    readChunks: async (ids: readonly string[]): Promise<Chunk[]> => {
      store.read += ids.length;
      return ids.map((id) => {
        const chunk = chunks.get(id);
        if (chunk === undefined) throw new Error(`no chunk ${id}`);
        // Returns copies, because the bytes are transferred to threads.
        return { id, bytes: Uint8Array.from(chunk.bytes) };
      });
    },
  };
  return store;
}
