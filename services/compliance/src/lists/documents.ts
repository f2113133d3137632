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

/** The settings of an import and its requester. */
export type ImportRequest = Change & {
  readonly list: string;
  readonly version: string;
  /** The name of one of `listFormats`. */
  readonly format: string;
  readonly acceptDropReason: string;
  /**
   * True if it was fetched from the list's source, so that its publisher decides on the entries.
   */
  readonly isPublished: boolean;
};

/** Forms of entries in force that the list itself no longer has; see `rules/retained.ts`. */
export type Retained = {
  readonly chunks: readonly string[];
  readonly forms: number;
  /** The start of the longest wait among them; null if there are none. */
  readonly since: Date | null;
  /** The actor who removed them: a service if the publisher did. Null if there are none. */
  readonly by: StoredActor | null;
};

/** A list without forms that await a decision. */
export const noneRetained: Retained = { chunks: [], forms: 0, since: null, by: null };

/** The result of reading an import's files. */
export type ReadImport = Pick<
  ImportDocument,
  "entries" | "checksum" | "change" | "chunks" | "retained" | "notes"
>;

/** `list_imports`: every attempt to import a list, kept forever. */
export type ImportDocument = ReturnType<typeof importDocument>;

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
    /** The reason why the list may lose many entries; "" if none was given. */
    accept_drop_reason: request.acceptDropReason,
    /** False once refused or failed, so that the operation may be tried again. */
    live: true as boolean,
    state: "reading" as ImportState,
    /** The import in force at the start, "" for none. The switch replaces only this import. */
    base_import_id: baseImportId,
    entries: 0,
    checksum: "",
    change: { added: 0, changed: 0, removed: 0 } as ListChange,
    chunks: [] as readonly string[],
    retained: noneRetained,
    /** Unreadable details that are no reason to refuse the list; at most 100. */
    notes: [] as readonly string[],
    /** The reason of a refusal; "" otherwise. */
    problem: "",
    started_at: now,
    /** Equals `started_at` until the import is complete. */
    imported_at: now,
    touched_at: now,
    /** True if nothing is left to do: it is in force or history, or its chunks are removed. */
    swept: false,
  };
}

/** `lists_in_force`: one document for each list. Its one write brings a version into force. */
export type ListDocument = ReturnType<typeof listDocument> & {
  readonly _id: string;
  /** The previous imports, latest last, so that a late repeat of a switch is recognised. */
  readonly earlier: readonly string[];
};

/** The fields that an import in force sets in its list's document. */
export function listDocument(done: ImportDocument) {
  const { _id: import_id, version, entries, checksum, imported_at, chunks, retained } = done;
  const schema_version = schemaVersion;
  /** `chunks` are the ids of the chunks with the published entries. */
  return { schema_version, version, import_id, entries, checksum, imported_at, chunks, retained };
}

/**
 * `list_chunks`: some entries of a list as gzipped lines, named by their content. Versions share
 * chunks that do not differ.
 */
export type ChunkDocument = ReturnType<typeof chunkFields> & {
  readonly _id: string;
  /** The last time that an import needed it. */
  readonly touched_at: Date;
};

export function chunkFields(bytes: Binary) {
  return { schema_version: schemaVersion, bytes };
}

export function importedVersion({ _id: importId, ...done }: ImportDocument): ListVersion {
  const { list, version, entries, checksum, imported_at: importedAt } = done;
  return { list, version, importId, entries, checksum, importedAt };
}

export type ListImport = Readonly<ReturnType<typeof toListImport>>;

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

/** A version in force, with the chunks of all its entries in force. */
export type StoredList = {
  readonly version: ListVersion;
  /** Chunks of published entries and of retained forms. */
  readonly chunks: readonly string[];
  readonly published: readonly string[];
  readonly retained: Retained;
};

/** The chunks of all entries that an import has brought into force. */
export function chunksInForce({
  chunks,
  retained,
}: Pick<ImportDocument, "chunks" | "retained">): readonly string[] {
  return [...chunks, ...retained.chunks];
}

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
