import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Binary } from "mongodb";
import type { ListChange, ListVersion } from "./rules/version.ts";

const schemaVersion = 1;

/** The states of an import. In the first two the import is running. The others are final. */
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
   * True if the service fetched the list from its source. The publisher then decides which entries
   * are removed.
   */
  readonly isPublished: boolean;
};

/**
 * Forms of entries that are still in force although the list no longer has them; see
 * `rules/retained.ts`.
 */
export type Retained = {
  readonly chunks: readonly string[];
  readonly forms: number;
  /** The time since which the oldest of these forms awaits a decision. Null if there are none. */
  readonly since: Date | null;
  /**
   * The actor whose import removed these entries from the list. It is a service if the publisher
   * removed them. Null if there are none.
   */
  readonly by: StoredActor | null;
};

/** The value for a list without retained forms. */
export const noneRetained: Retained = { chunks: [], forms: 0, since: null, by: null };

/** The result of reading an import's files. */
export type ReadImport = Pick<
  ImportDocument,
  "entries" | "checksum" | "change" | "chunks" | "retained" | "notes"
>;

/** The collection `list_imports`, with every attempt to import a list. Kept forever. */
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
    /** False after a refusal or a failure. The operation may then be tried again. */
    live: true as boolean,
    state: "reading" as ImportState,
    /**
     * The import that was in force at the start, "" for none. The new import comes into force only
     * if that one still is.
     */
    base_import_id: baseImportId,
    entries: 0,
    checksum: "",
    change: { added: 0, changed: 0, removed: 0 } as ListChange,
    chunks: [] as readonly string[],
    retained: noneRetained,
    /** Unreadable details that do not cause a refusal, at most 100. */
    notes: [] as readonly string[],
    /** The reason of a refusal; "" otherwise. */
    problem: "",
    started_at: now,
    /** The time at which the import came into force. Until then, it equals `started_at`. */
    imported_at: now,
    touched_at: now,
    /** True if no cleanup remains: the import is or was in force, or its chunks are removed. */
    swept: false,
  };
}

/**
 * The collection `lists_in_force`, with one document for each list. A single write to that document
 * brings a version into force.
 */
export type ListDocument = ReturnType<typeof listDocument> & {
  readonly _id: string;
  /**
   * The ids of previous imports, latest last. With them, a late repeat of the write that brought an
   * import into force is recognised.
   */
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
 * The collection `list_chunks`. A chunk has some entries of a list as gzipped lines, and an id from
 * its content. Versions share chunks that are equal.
 */
export type ChunkDocument = ReturnType<typeof chunkFields> & {
  readonly _id: string;
  /** The last time that an import needed this chunk. */
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

/** A list version in force, with the ids of all its chunks. */
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
