import { type Database, ensureIndexes, isDuplicateKey } from "@disburse/chassis/mongo.ts";
import type { Filter } from "mongodb";
import {
  type AuditAction,
  type AuditEntry,
  type AuditRecord,
  auditKeyOf,
  flawOf,
  nextEntry,
} from "./domain/audit.ts";

/** An entry of the trail. None is ever changed or removed. */
type AuditDocument = {
  /** The entry's number: inserting it is what decides who is next. */
  _id: number;
  schema_version: number;
  key: string;
  person: string;
  action: AuditAction;
  subject: string;
  operation: string;
  detail: string;
  previous_hash: string;
  hash: string;
  created_at: Date;
};

export type AuditStore = Awaited<ReturnType<typeof openAuditStore>>;

/** What operators did, in order, each entry sealing those before it. */
export async function openAuditStore({ db }: Database) {
  const entries = db.collection<AuditDocument>("audit_entries");
  await ensureIndexes(db, "audit_entries", [
    { key: { key: 1 }, name: "key", unique: true },
    { key: { subject: 1, _id: -1 }, name: "subject" },
  ]);
  const last = async (filter: Filter<AuditDocument> = {}): Promise<AuditEntry | undefined> => {
    const [found] = await entries.find(filter).sort({ _id: -1 }).limit(1).toArray();
    return found && toEntry(found);
  };
  return {
    /**
     * Appends what was done, once: a repeat answers with the first entry. Whoever is overtaken goes
     * on from the new head, so of several at once each time one is through.
     */
    append: async (record: AuditRecord): Promise<AuditEntry> => {
      const key = auditKeyOf(record);
      for (;;) {
        const first = await entries.findOne({ key });
        if (first !== null) return toEntry(first);
        const entry = nextEntry(await last(), record);
        try {
          await entries.insertOne(documentOf(entry));
          return entry;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
      }
    },
    /** The last entry on a subject. */
    lastOf: (subject: string) => last({ subject }),
    /** Newest first, before a number; throws where an entry was changed or is missing. */
    list: async (
      subject: string | undefined,
      beforeSequence: number | undefined,
      limit: number,
    ) => {
      const found = await entries
        .find({
          ...(subject === undefined ? {} : { subject }),
          ...(beforeSequence === undefined ? {} : { _id: { $lt: beforeSequence } }),
        })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray();
      const listed = found.map(toEntry);
      const isEnd = listed.length < limit;
      const all = isEnd ? "from the first" : "consecutive";
      const flaw = flawOf(listed.toReversed(), subject === undefined ? all : "some");
      if (flaw !== undefined) throw new Error(flaw);
      return listed;
    },
  };
}

function documentOf(entry: AuditEntry): AuditDocument {
  const { sequence, person, action, subject, operation, detail, previousHash, hash, at } = entry;
  return {
    _id: sequence,
    schema_version: 1,
    key: auditKeyOf(entry),
    ...{ person, action, subject, operation, detail },
    previous_hash: previousHash,
    hash,
    created_at: at,
  };
}

function toEntry(document: AuditDocument): AuditEntry {
  const { _id: sequence, person, action, subject, operation, detail, hash } = document;
  return {
    ...{ sequence, person, action, subject, operation, detail, hash },
    previousHash: document.previous_hash,
    at: document.created_at,
  };
}
