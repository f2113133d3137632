import type { Filter } from "mongodb";
import type { Database } from "../mongo/database.ts";
import { insertOnce } from "../mongo/once.ts";
import {
  type AuditEntry,
  type AuditRecord,
  auditKeyOf,
  findTampering,
  nextEntry,
} from "./trail.ts";

/** An entry of the trail; never changed or removed. */
type AuditDocument = {
  /** The entry's number: its insertion decides between concurrent writers. */
  _id: number;
  schema_version: number;
  key: string;
  person: string;
  action: string;
  subject: string;
  operation: string;
  detail: string;
  previous_hash: string;
  hash: string;
  created_at: Date;
};

/** The audit trail: what operators did, in order, hash-chained. */
export type AuditStore<Action extends string> = ReturnType<typeof openAuditStore<Action>>;

/** The audit trail of a service: `audit_entries` of its database. */
export function openAuditStore<Action extends string>({ db }: Pick<Database, "db">) {
  const entries = db.collection<AuditDocument>("audit_entries");
  const last = async (filter: Filter<AuditDocument> = {}) => {
    const [found] = await entries.find(filter).sort({ _id: -1 }).limit(1).toArray();
    return found && toEntry<Action>(found);
  };
  return {
    /** Appends an action once: a repeat answers with the first entry. */
    append: async (record: AuditRecord<Action>): Promise<AuditEntry<Action>> => {
      // One of several writers succeeds each time; the others go on from the new head.
      const key = auditKeyOf(record);
      for (;;) {
        const first = await entries.findOne({ key });
        if (first !== null) return toEntry<Action>(first);
        const entry = nextEntry(await last(), record);
        if (await insertOnce(entries, documentOf(entry))) return entry;
      }
    },
    /** The last entry of a subject. */
    lastOf: (subject: string) => last({ subject }),
    /** At most `limit` entries, newest first. Throws where one was changed or is missing. */
    list: async (
      subject: string | undefined,
      beforeSequence: number | undefined,
      limit: number,
    ): Promise<AuditEntry<Action>[]> => {
      const found = await entries
        .find({
          ...(subject === undefined ? {} : { subject }),
          ...(beforeSequence === undefined ? {} : { _id: { $lt: beforeSequence } }),
        })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray();
      const listed = found.map((each) => toEntry<Action>(each));
      const reachesFirst = listed.length < limit;
      const all = reachesFirst ? "from the first" : "consecutive";
      const flaw = findTampering(listed.toReversed(), subject === undefined ? all : "some");
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

/** Only this service writes its trail, and its actions are a closed union. */
function toEntry<Action extends string>(document: AuditDocument): AuditEntry<Action> {
  const { _id: sequence, person, subject, operation, detail, hash } = document;
  return {
    ...{ sequence, person, subject, operation, detail, hash },
    action: document.action as Action,
    previousHash: document.previous_hash,
    at: document.created_at,
  };
}
