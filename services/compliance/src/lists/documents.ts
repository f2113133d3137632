import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { Binary } from "mongodb";
import type { ListFormat } from "./formats/list-format.ts";
import type { ListChange, ListVersion } from "./rules/version.ts";

const schemaVersion = 1;

/** `lists_in_force`: one document a list; its one write is what brings a version into force. */
export type ListDocument = {
  readonly _id: string;
  readonly schema_version: number;
  readonly version: string;
  readonly import_id: string;
  readonly entries: number;
  readonly checksum: string;
  readonly imported_at: Date;
  /** Ids of the chunks that hold the entries. */
  readonly chunks: readonly string[];
  /** The imports before, latest last, so that a late repeat of a switch is seen to be done. */
  readonly earlier: readonly string[];
};

/** Running are the first two; each goes on to one of the others, and what came into force stays. */
export type ImportState =
  | "reading"
  | "committing"
  | "in_force"
  | "superseded"
  | "refused"
  | "failed";

/** `list_imports`: each try to import a list, kept for ever. */
export type ImportDocument = {
  readonly _id: string;
  readonly schema_version: number;
  readonly list: string;
  readonly version: string;
  readonly format: ListFormat;
  readonly operation_id: string;
  readonly actor: StoredActor;
  /** Why the list may lose many entries; "" where nobody said so. */
  readonly accept_drop_reason: string;
  /** False once refused or failed: the operation may be tried again. */
  readonly live: boolean;
  readonly state: ImportState;
  /** The import that was in force at the start, "" for none: the switch replaces that one only. */
  readonly base_import_id: string;
  readonly entries: number;
  readonly checksum: string;
  readonly change: ListChange;
  /** Empty until the list was read. */
  readonly chunks: readonly string[];
  /** What could not be read and is no reason to refuse the list; at most 100. */
  readonly notes: readonly string[];
  /** Why it was refused; "" otherwise. */
  readonly problem: string;
  readonly started_at: Date;
  /** When it was whole; `started_at` before. */
  readonly imported_at: Date;
  /** The last sign of life. */
  readonly touched_at: Date;
  /** Nothing is left to do: it is in force for good or as history, or what it wrote is removed. */
  readonly swept: boolean;
};

/**
 * `list_chunks`: some entries of a list as gzipped lines, named by their content. Versions share
 * the chunks in which they do not differ.
 */
export type ChunkDocument = {
  readonly _id: string;
  readonly schema_version: number;
  readonly bytes: Binary;
  /** When an import last needed it to be there. */
  readonly touched_at: Date;
};

/** What an import is to become: the list it replaces and who asked for it. */
export type ImportRequest = {
  readonly list: string;
  readonly version: string;
  readonly format: ListFormat;
  readonly acceptDropReason: string;
  readonly operationId: string;
  readonly actor: StoredActor;
};

/** What was read of an import's files. */
export type ReadImport = {
  readonly entries: number;
  readonly checksum: string;
  readonly change: ListChange;
  readonly chunks: readonly string[];
  readonly notes: readonly string[];
};

/** An import as it is listed. */
export type ListImport = {
  readonly version: ListVersion;
  readonly state: ImportState;
  readonly change: ListChange;
  readonly problem: string;
  readonly notes: readonly string[];
  readonly actor: StoredActor;
  readonly startedAt: Date;
};

/** A version in force, with the chunks that hold it. */
export type StoredList = { readonly version: ListVersion; readonly chunks: readonly string[] };

const noChange: ListChange = { added: 0, changed: 0, removed: 0 };

export function chunkFields(bytes: Binary): Pick<ChunkDocument, "schema_version" | "bytes"> {
  return { schema_version: schemaVersion, bytes };
}

export function importDocument(
  id: string,
  request: ImportRequest,
  baseImportId: string,
  now: Date,
): ImportDocument {
  return {
    _id: id,
    schema_version: schemaVersion,
    list: request.list,
    version: request.version,
    format: request.format,
    operation_id: request.operationId,
    actor: request.actor,
    accept_drop_reason: request.acceptDropReason,
    live: true,
    state: "reading",
    base_import_id: baseImportId,
    entries: 0,
    checksum: "",
    change: noChange,
    chunks: [],
    notes: [],
    problem: "",
    started_at: now,
    imported_at: now,
    touched_at: now,
    swept: false,
  };
}

export function listDocument(done: ImportDocument): Omit<ListDocument, "_id" | "earlier"> {
  return {
    schema_version: schemaVersion,
    version: done.version,
    import_id: done._id,
    entries: done.entries,
    checksum: done.checksum,
    imported_at: done.imported_at,
    chunks: done.chunks,
  };
}

export function importedVersion(done: ImportDocument): ListVersion {
  return {
    list: done.list,
    version: done.version,
    importId: done._id,
    entries: done.entries,
    checksum: done.checksum,
    importedAt: done.imported_at,
  };
}

export function toListImport(document: ImportDocument): ListImport {
  return {
    version: importedVersion(document),
    state: document.state,
    change: document.change,
    problem: document.problem,
    notes: document.notes,
    actor: document.actor,
    startedAt: document.started_at,
  };
}

export function toStoredList(document: ListDocument): StoredList {
  const version = {
    list: document._id,
    version: document.version,
    importId: document.import_id,
    entries: document.entries,
    checksum: document.checksum,
    importedAt: document.imported_at,
  };
  return { version, chunks: document.chunks };
}
