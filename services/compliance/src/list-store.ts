import { type Database, ensureIndexes } from "@disburse/chassis/mongo.ts";
import type { ListEntry } from "./domain/list-entry.ts";
import type { ListVersion } from "./domain/list-version.ts";
import {
  abandonImport,
  beginImport,
  commitImport,
  type ListCollections,
  sweepImports,
  writeImport,
} from "./import-steps.ts";
import {
  type ImportDocument,
  type ImportRequest,
  toEntry,
  toListVersion,
} from "./list-documents.ts";

/** Every list together stays far below this many. */
const listsMax = 1_000;

export type ListStore = Awaited<ReturnType<typeof openListStore>>;

/** The lists, their entries and their imports. */
export async function openListStore({ db }: Pick<Database, "db">) {
  const at: ListCollections = {
    lists: db.collection("lists"),
    imports: db.collection("imports"),
    entries: db.collection("entries"),
  };
  await ensureIndexes(db, "imports", [
    {
      key: { operation_id: 1 },
      name: "operation",
      unique: true,
      partialFilterExpression: { live: true },
    },
    { key: { swept: 1, state: 1 }, name: "sweep" },
  ]);
  await ensureIndexes(db, "entries", [{ key: { import_id: 1 }, name: "import" }]);
  return {
    /** The versions in force, by name. */
    listVersions: async (): Promise<ListVersion[]> =>
      (await at.lists.find().sort({ _id: 1 }).limit(listsMax).toArray()).map(toListVersion),
    /** Every entry of one version. */
    readEntries: async (importId: string): Promise<ListEntry[]> =>
      (await at.entries.find({ import_id: importId }).toArray()).map(toEntry),
    begin: (request: ImportRequest, now: Date) => beginImport(at, request, now),
    write: (begun: ImportDocument, some: readonly ListEntry[], now: Date) =>
      writeImport(at, begun, some, now),
    commit: (
      begun: ImportDocument,
      whole: { readonly entries: number; readonly checksum: string },
      now: Date,
    ) => commitImport(at, begun, whole, now),
    abandon: (begun: ImportDocument, now: Date) => abandonImport(at, begun, now),
    sweep: (now: Date) => sweepImports(at, now),
  };
}
