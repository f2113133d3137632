import type { StoredActor } from "@disburse/chassis/mutation.ts";
import type { ListEntry } from "./domain/list-entry.ts";
import type { ListVersion } from "./domain/list-version.ts";

const schemaVersion = 1;

/** `lists`: one document a list; its one write is what brings a version into force. */
export type ListDocument = {
  readonly _id: string;
  readonly schema_version: number;
  readonly version: string;
  readonly import_id: string;
  readonly entries: number;
  readonly checksum: string;
  readonly imported_at: Date;
  /** The imports before, latest last, so that a late repeat of a switch is seen to be done. */
  readonly earlier: readonly string[];
};

/**
 * `imports`: each try to import a list. writing → committing → in_force → superseded, or failed.
 * What is not in force is swept: its entries go, the document stays.
 */
export type ImportDocument = {
  readonly _id: string;
  readonly schema_version: number;
  readonly list: string;
  readonly version: string;
  readonly operation_id: string;
  readonly actor: StoredActor;
  /** False once failed: the operation may be tried again. */
  readonly live: boolean;
  readonly state: "writing" | "committing" | "in_force" | "superseded" | "failed";
  /** The import that was in force at the start, "" for none: the switch replaces that one only. */
  readonly base_import_id: string;
  readonly entries: number;
  readonly checksum: string;
  readonly started_at: Date;
  /** When it was whole; `started_at` before. */
  readonly imported_at: Date;
  /** The last sign of life. */
  readonly touched_at: Date;
  readonly swept: boolean;
};

/** `entries`: those of every version in force, and of imports under way. */
export type EntryDocument = ListEntry & {
  readonly _id: string;
  readonly schema_version: number;
  readonly import_id: string;
};

export function entryDocument(importId: string, entry: ListEntry): EntryDocument {
  return {
    _id: `${importId}:${entry.uid}`,
    schema_version: schemaVersion,
    import_id: importId,
    ...entry,
  };
}

export function toEntry(document: EntryDocument): ListEntry {
  const { _id, schema_version, import_id, ...entry } = document;
  return entry;
}

/** What an import is to become: the list it replaces and who asked for it. */
export type ImportRequest = {
  readonly list: string;
  readonly version: string;
  readonly operationId: string;
  readonly actor: StoredActor;
};

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
    operation_id: request.operationId,
    actor: request.actor,
    live: true,
    state: "writing",
    base_import_id: baseImportId,
    entries: 0,
    checksum: "",
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

export function toListVersion(document: ListDocument): ListVersion {
  return {
    list: document._id,
    version: document.version,
    importId: document.import_id,
    entries: document.entries,
    checksum: document.checksum,
    importedAt: document.imported_at,
  };
}
