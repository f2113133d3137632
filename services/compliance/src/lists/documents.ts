import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Binary } from "mongodb";
import type { ListChange, ListVersion } from "./rules/version.ts";

const schemaVersion = 1;

/** An import runs in the first two states, and ends in one of the others. */
export type ImportState =
  | "reading"
  | "committing"
  | "in_force"
  | "superseded"
  | "refused"
  | "failed";

/** What an import is to become: the list it replaces and who requested it. */
export type ImportRequest = Change & {
  readonly list: string;
  readonly version: string;
  /** One of `listFormats`. */
  readonly format: string;
  readonly acceptDropReason: string;
  /** Fetched from the list's source: its publisher says what is on it. */
  readonly isPublished: boolean;
};

/** Forms of entries in force that the list itself no longer has; see `rules/retained.ts`. */
export type Retained = {
  readonly chunks: readonly string[];
  readonly forms: number;
  /** Since when some of them have waited; null where there are none. */
  readonly since: Date | null;
  /** Who took them off the list: a service where its publisher did. Null where there are none. */
  readonly by: StoredActor | null;
};

/** Nothing waits for a person. */
export const noneRetained: Retained = { chunks: [], forms: 0, since: null, by: null };

/** What was read of an import's files. */
export type ReadImport = Pick<
  ImportDocument,
  "entries" | "checksum" | "change" | "chunks" | "retained" | "notes"
>;

/** `list_imports`: each try to import a list, kept forever. */
export type ImportDocument = ReturnType<typeof importDocument>;

/** The document of an import that begins. */
export function importDocument(
  id: string,
  request: ImportRequest,
  baseImportId: string,
  now: Date,
) {
  return {
    _id: id,
    schema_version: schemaVersion,
    list: request.list,
    version: request.version,
    format: request.format,
    operation_id: request.operationId,
    actor: request.actor,
    /** Why the list may lose many entries; "" where no reason was given. */
    accept_drop_reason: request.acceptDropReason,
    /** False once refused or failed: the operation may be tried again. */
    live: true as boolean,
    state: "reading" as ImportState,
    /** In force at the start, "" for none: the switch replaces this import only. */
    base_import_id: baseImportId,
    entries: 0,
    checksum: "",
    change: { added: 0, changed: 0, removed: 0 } as ListChange,
    /** Empty until the list was read. */
    chunks: [] as readonly string[],
    retained: noneRetained,
    /** What could not be read and is no reason to refuse the list; at most 100. */
    notes: [] as readonly string[],
    /** Why it was refused; "" otherwise. */
    problem: "",
    started_at: now,
    /** When it was whole; `started_at` before. */
    imported_at: now,
    /** Its last write. */
    touched_at: now,
    /** Nothing is left to do: it is in force or history, or what it wrote is removed. */
    swept: false,
  };
}

/** `lists_in_force`: one document a list; its one write is what brings a version into force. */
export type ListDocument = ReturnType<typeof listDocument> & {
  readonly _id: string;
  /** The imports before, latest last, so that a late repeat of a switch is seen to be done. */
  readonly earlier: readonly string[];
};

/** What an import that comes into force makes of its list's document. */
export function listDocument(done: ImportDocument) {
  const { _id: import_id, version, entries, checksum, imported_at, chunks, retained } = done;
  const schema_version = schemaVersion;
  /** The chunks are the ids of those that hold the published entries. */
  return { schema_version, version, import_id, entries, checksum, imported_at, chunks, retained };
}

/**
 * `list_chunks`: some entries of a list as gzipped lines, named by their content. Versions share
 * the chunks in which they do not differ.
 */
export type ChunkDocument = ReturnType<typeof chunkFields> & {
  readonly _id: string;
  /** When an import last needed it to be there. */
  readonly touched_at: Date;
};

/** What a chunk's document is inserted with. */
export function chunkFields(bytes: Binary) {
  return { schema_version: schemaVersion, bytes };
}

/** The list version that an import brings into force. */
export function importedVersion({ _id: importId, ...done }: ImportDocument): ListVersion {
  const { list, version, entries, checksum, imported_at: importedAt } = done;
  return { list, version, importId, entries, checksum, importedAt };
}

/** An import as it is listed. */
export type ListImport = Readonly<ReturnType<typeof toListImport>>;

/** The import of a document. */
export function toListImport(document: ImportDocument) {
  const { state, change, problem, notes, actor, started_at: startedAt, retained } = document;
  return {
    version: importedVersion(document),
    state,
    change,
    problem,
    notes,
    actor,
    startedAt,
    retained: retained.forms,
  };
}

/** A version in force, with the chunks of all that is in force of it. */
export type StoredList = {
  readonly version: ListVersion;
  /** Of published entries, and of retained forms. */
  readonly chunks: readonly string[];
  readonly published: readonly string[];
  readonly retained: Retained;
};

/** The chunks of all that an import has brought into force. */
export function chunksInForce({
  chunks,
  retained,
}: Pick<ImportDocument, "chunks" | "retained">): readonly string[] {
  return [...chunks, ...retained.chunks];
}

/** The version of a list's document. */
export function toStoredList({
  _id: list,
  chunks,
  retained,
  ...document
}: ListDocument): StoredList {
  const { version, import_id: importId, entries, checksum, imported_at: importedAt } = document;
  return {
    version: { list, version, importId, entries, checksum, importedAt },
    chunks: chunksInForce({ chunks, retained }),
    published: chunks,
    retained,
  };
}
