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

/** The maximum number of lists to read. A deployment has far fewer. */
const listsMax = 1_000;
/** The chunks to read per command: about 1 MiB, which takes this thread a millisecond. */
const chunksAtOnce = 16;

/** The states of imports that came into force. */
const switched = ["committing", "in_force", "superseded"] as const;

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
    /** Used by the steps of an import; see `imports/steps.ts`. */
    collections: at,
    /** Sorted by the name of the list. */
    listsInForce: async (): Promise<StoredList[]> =>
      (await at.lists.find().sort({ _id: 1 }).limit(listsMax).toArray()).map(toStoredList),

    listInForce: async (list: string): Promise<StoredList | undefined> => {
      const found = await at.lists.findOne({ _id: list });
      return found === null ? undefined : toStoredList(found);
    },

    /**
     * Returns an import that came into force with its chunks, and the import that it replaced (""
     * for none).
     */
    switchedImport: async (importId: string) => {
      const found = await at.imports.findOne({ _id: importId, state: { $in: switched } });
      if (found === null) return undefined;
      const { base_import_id: baseImportId, format, chunks, retained } = found;
      return { version: importedVersion(found), baseImportId, format, chunks, retained };
    },

    /** Returns the import in force at a moment, or the first one if there was none yet. */
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

    /**
     * Returns the last import of a version that came into force, even if it is no longer in force.
     */
    importOfVersion: async (list: string, version: string): Promise<ListImport | undefined> => {
      const state = { $in: ["in_force", "superseded"] as const };
      const found = at.imports.find({ list, version, state }).sort({ started_at: -1, _id: -1 });
      const [last] = await found.limit(1).toArray();
      return last && toListImport(last);
    },

    /** Returns imports, newest first. With "" as `list`, returns imports of every list. */
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
     * Returns the chunk ids of all entries that an import brought into force; none for the import
     * "". Throws for an import that never came into force.
     */
    importChunks: async (importId: string): Promise<readonly string[]> => {
      if (importId === "") return [];
      const found = await at.imports.findOne({ _id: importId, state: { $in: switched } });
      if (found === null)
        throw new Error(`the list version of import ${importId} never came into force`);
      return chunksInForce(found);
    },
    /**
     * Returns these chunks in any order. Throws if one is missing, because the list is then
     * unreadable.
     */
    readChunks: async (ids: readonly string[]): Promise<Chunk[]> => {
      const read: Chunk[] = [];
      for (let from = 0; from < ids.length; from += chunksAtOnce) {
        const some = ids.slice(from, from + chunksAtOnce);
        const found = await at.chunks.find({ _id: { $in: some } }).toArray();
        if (found.length !== some.length) {
          throw new Error(
            `only ${found.length} of ${some.length} chunks of a stored list were found`,
          );
        }
        // Copies the bytes into their own buffer, which can be transferred to another thread.
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
