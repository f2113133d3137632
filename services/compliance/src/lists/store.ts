import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { PageCursor } from "@disburse/chassis/paging/page.ts";
import type { Filter } from "mongodb";
import type { Chunk } from "./chunks.ts";
import {
  chunksInForce,
  type ImportDocument,
  importedVersion,
  type ListImport,
  type StoredList,
  toListImport,
  toStoredList,
} from "./documents.ts";
import type { ListCollections } from "./imports/steps.ts";
import type { ListVersion } from "./rules/version.ts";

/** Every list together stays far below this many. */
const listsMax = 1_000;
/** Chunks read or written by one command: some 1 MiB, and a millisecond of this thread. */
const chunksAtOnce = 16;

/** The states of imports that came into force. */
const switched = ["committing", "in_force", "superseded"] as const;

/** See `openListStore`. */
export type ListStore = ReturnType<typeof openListStore>;

/** The lists in force, their imports, and the chunks that hold their entries. */
export function openListStore({ db }: Pick<Database, "db">) {
  const at: ListCollections = {
    lists: db.collection("lists_in_force"),
    imports: db.collection("list_imports"),
    chunks: db.collection("list_chunks"),
  };
  return {
    ...chunkReads(at),
    /** What the steps of an import work on; see `imports/steps.ts`. */
    collections: at,
    /** The lists in force, by name. */
    listsInForce: async (): Promise<StoredList[]> =>
      (await at.lists.find().sort({ _id: 1 }).limit(listsMax).toArray()).map(toStoredList),

    listInForce: async (list: string): Promise<StoredList | undefined> => {
      const found = await at.lists.findOne({ _id: list });
      return found === null ? undefined : toStoredList(found);
    },

    /** An import that came into force, what it replaced ("" for nothing), and its chunks. */
    switchedImport: async (importId: string) => {
      const found = await at.imports.findOne({ _id: importId, state: { $in: switched } });
      if (found === null) return undefined;
      const { base_import_id: baseImportId, format, chunks, retained } = found;
      return { version: importedVersion(found), baseImportId, format, chunks, retained };
    },

    /** The import that was in force at a moment; the first one where there was none yet. */
    importAt: async (list: string, moment: Date): Promise<ListVersion | undefined> => {
      const all = { list, state: { $in: switched } };
      const before = { ...all, imported_at: { $lte: moment } };
      const [last] = await at.imports
        .find(before)
        .sort({ started_at: -1, _id: -1 })
        .limit(1)
        .toArray();
      const found =
        last ?? (await at.imports.find(all).sort({ started_at: 1, _id: 1 }).limit(1).toArray())[0];
      return found && importedVersion(found);
    },

    /** The last import of a version that came into force, and that may be in force no more. */
    importOfVersion: async (list: string, version: string): Promise<ListImport | undefined> => {
      const state = { $in: ["in_force", "superseded"] as const };
      const found = at.imports.find({ list, version, state }).sort({ started_at: -1, _id: -1 });
      const [last] = await found.limit(1).toArray();
      return last && toListImport(last);
    },

    /** Newest first; `list` "" for those of every list. */
    listImports: async (
      list: string,
      before: PageCursor | undefined,
      limit: number,
    ): Promise<ListImport[]> => {
      const filter: Filter<ImportDocument> = {
        ...(list === "" ? {} : { list }),
        ...(before && {
          $or: [
            { started_at: { $lt: before.at } },
            { started_at: before.at, _id: { $lt: before.id } },
          ],
        }),
      };
      const found = at.imports.find(filter).sort({ started_at: -1, _id: -1 }).limit(limit);
      return (await found.toArray()).map(toListImport);
    },
  };
}

function chunkReads(at: ListCollections) {
  return {
    /**
     * Ids of the chunks of all that an import brought into force; of the import "" none. Throws for
     * one that did not switch.
     */
    importChunks: async (importId: string): Promise<readonly string[]> => {
      if (importId === "") return [];
      const found = await at.imports.findOne({ _id: importId, state: { $in: switched } });
      if (found === null) throw new Error(`the import ${importId} was never in force`);
      return chunksInForce(found);
    },
    /** These chunks, in any order. Throws when one is missing: then the list cannot be read. */
    readChunks: async (ids: readonly string[]): Promise<Chunk[]> => {
      const read: Chunk[] = [];
      for (let from = 0; from < ids.length; from += chunksAtOnce) {
        const some = ids.slice(from, from + chunksAtOnce);
        const found = await at.chunks.find({ _id: { $in: some } }).toArray();
        if (found.length !== some.length) {
          throw new Error(`${found.length} of ${some.length} chunks of a list could be read`);
        }
        // A copy that another thread can take over whole.
        const copies = found.map(({ _id: id, bytes }) => ({
          id,
          bytes: Uint8Array.from(bytes.value()),
        }));
        read.push(...copies);
      }
      return read;
    },
  };
}
