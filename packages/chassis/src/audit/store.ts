import type { Collection, Db, Filter } from "mongodb";
import type { Database } from "../mongo/database.ts";
import { insertOnce, onceByKey } from "../mongo/once.ts";
import { fromStored, type Stored, toStored } from "../mongo/stored.ts";
import { reportRejection } from "../rejections.ts";
import {
  type AuditCall,
  type AuditEntry,
  type AuditRecord,
  auditKeyOf,
  callKeyOf,
  findTampering,
  nextEntry,
} from "./trail.ts";

/** An entry of the audit trail. It is never changed or removed. */
type AuditDocument = {
  /** The entry's number. Its unique index decides between concurrent writers. */
  _id: number;
  schema_version: number;
  key: string;
  person: string;
  action: string;
  subject: string;
  operation: string;
  detail: string;
  call?: Stored<AuditCall>;
  previous_hash: string;
  hash: string;
  created_at: Date;
};

type NamedCall = Pick<AuditCall, "rpc" | "merchantId"> & { readonly operationId: string };

/** A hash-chained, ordered record of operators' actions. */
export type AuditStore<Action extends string> = ReturnType<typeof openAuditStore<Action>>;

/** Opens the audit trail of a service, which is the collection `audit_entries` of its database. */
export function openAuditStore<Action extends string>({ db }: Pick<Database, "db">) {
  const entries = db.collection<AuditDocument>("audit_entries");
  const append = appenderOf(db);
  const newest = async (filter: Filter<AuditDocument>, limit: number) => {
    const found = await entries.find(filter).sort({ _id: -1 }).limit(limit).toArray();
    return found.map((each) => toEntry<Action>(each));
  };
  const checked = <T extends AuditEntry>(
    found: T[],
    range: Parameters<typeof findTampering>[1],
  ) => {
    const flaw = findTampering(found.toReversed(), range);
    if (flaw !== undefined) throw new Error(flaw);
    return found;
  };
  return {
    /** Appends an action once. A repeated call returns the first entry. */
    append: async (record: AuditRecord<Action>): Promise<AuditEntry<Action>> =>
      (await append({ record })).entry as AuditEntry<Action>,
    /**
     * Appends a decision once, unless the trail has another decision with its action about its
     * subject after entry `last`. In that case it returns the other decision.
     */
    appendAfter: async (
      last: number,
      record: AuditRecord<Action>,
    ): Promise<Appended<AuditEntry<Action>>> =>
      (await append({ record, last })) as Appended<AuditEntry<Action>>,
    has: async (record: AuditRecord): Promise<boolean> =>
      (await entries.findOne({ key: auditKeyOf(record) })) !== null,
    /** Returns true if the trail has a completed entry of the call. */
    hasDone: async ({ rpc, merchantId, operationId }: NamedCall): Promise<boolean> => {
      const key = callKeyOf({ outcome: "done", rpc, merchantId }, operationId);
      return (await entries.findOne({ key })) !== null;
    },
    /** Returns the newest entry, or `undefined` for an empty trail. */
    head: async (): Promise<AuditEntry | undefined> => (await newest({}, 1))[0],
    /** Returns the last decision about a subject. Entries of calls are ignored. */
    lastOf: async (subject: string) => (await newest({ subject, ...decisions }, 1))[0],
    /** Returns at most `limit` decisions of one kind, newest first. Throws if one was changed. */
    lastWith: async (action: Action, limit: number) =>
      checked(await newest({ action, ...decisions }, limit), "some"),
    /** Returns at most `limit` entries, newest first. Throws if one was changed or is missing. */
    list: async (
      subject: string | undefined,
      beforeSequence: number | undefined,
      limit: number,
    ): Promise<AuditEntry<Action>[]> => {
      const of = subject === undefined ? {} : { subject };
      const before = beforeSequence === undefined ? {} : { _id: { $lt: beforeSequence } };
      const listed = await newest({ ...of, ...before }, limit);
      const all = listed.length < limit ? "from the first" : "consecutive";
      return checked(listed, subject === undefined ? all : "some");
    },
    /**
     * Returns at most `limit` decisions about a subject, newest first. Throws if one was changed.
     */
    decisionsOf: async (subject: string, beforeSequence: number | undefined, limit: number) => {
      const before = beforeSequence === undefined ? {} : { _id: { $lt: beforeSequence } };
      return checked(await newest({ subject, ...decisions, ...before }, limit), "some");
    },
    /**
     * Returns at most `limit` entries after this number, oldest first. 0 starts at the first entry.
     * Throws if one was changed or is missing, including the entry with this number.
     */
    after: async (sequence: number, limit: number): Promise<AuditEntry[]> => {
      const from = { _id: { $gte: sequence } };
      const found = await entries
        .find(from)
        .sort({ _id: 1 })
        .limit(limit + 1)
        .toArray();
      const listed = found.map((each) => toEntry(each));
      const isKnown = sequence === 0 || listed[0]?.sequence === sequence;
      if (!isKnown) throw new Error(`audit entry ${sequence} is missing`);
      const range = sequence === 0 ? "from the first" : "consecutive";
      checked(listed.toReversed(), range);
      return sequence === 0 ? listed.slice(0, limit) : listed.slice(1);
    },
  };
}

/** Matches decisions, which are entries without a call. */
const decisions: Filter<AuditDocument> = { call: { $exists: false } };

type Addition = {
  readonly record: AuditRecord;
  /** Absent if later decisions about the subject don't matter. */
  readonly last?: number;
};

/** `isOther` is true if nothing was appended because of this later decision. */
type Appended<Entry = AuditEntry> = { readonly entry: Entry; readonly isOther: boolean };

type Append = (addition: Addition) => Promise<Appended>;

/**
 * Each database has one appender in a process, so that the process's own writers do not compete.
 */
const appenders = new WeakMap<Db, Append>();

function appenderOf(db: Db): Append {
  let append = appenders.get(db);
  if (append === undefined) {
    append = createAppender(db.collection<AuditDocument>("audit_entries"));
    appenders.set(db, append);
  }
  return append;
}

/** The maximum number of records in one write, which bounds the size of the command. */
const batchMax = 100;

/** Appends records in groups. Records that arrive during a write go into the next write. */
function createAppender(entries: Collection<AuditDocument>): Append {
  const waiting: { addition: Addition; done: PromiseWithResolvers<Appended> }[] = [];
  let isWriting = false;
  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchMax);
      try {
        const known = await appendAll(
          entries,
          batch.map(({ addition }) => addition),
        );
        for (const { addition, done } of batch) done.resolve(known(addition));
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    isWriting = false;
  };
  return (addition) => {
    const done = Promise.withResolvers<Appended>();
    waiting.push({ addition, done });
    if (!isWriting) {
      isWriting = true;
      write().catch(reportRejection);
    }
    return done.promise;
  };
}

/**
 * Appends new records. If several processes append at the same time, only one succeeds, and the
 * others try again.
 */
async function appendAll(entries: Collection<AuditDocument>, additions: readonly Addition[]) {
  const byKey = new Map(additions.toReversed().map((each) => [auditKeyOf(each.record), each]));
  const known = new Map<string, Appended>();
  for (;;) {
    const missing = [...byKey.keys()].filter((key) => !known.has(key)).toReversed();
    const found = await entries.find({ key: { $in: missing } }).toArray();
    for (const each of found) known.set(each.key, { entry: toEntry(each), isOther: false });
    const fresh = missing.filter((key) => !known.has(key)).map((key) => byKey.get(key));
    const inserted = await insertNext(
      entries,
      fresh.filter((each) => each !== undefined),
    );
    for (const [key, each] of inserted ?? []) known.set(key, each);
    if (inserted !== undefined) break;
  }
  return ({ record }: Addition): Appended => {
    const appended = known.get(auditKeyOf(record));
    if (appended === undefined) throw new Error("an audit entry was neither found nor created");
    return appended;
  };
}

/**
 * Inserts the next entries in order. Returns `undefined` if another process has inserted one of
 * them.
 */
async function insertNext(
  entries: Collection<AuditDocument>,
  additions: readonly Addition[],
): Promise<[key: string, Appended][] | undefined> {
  if (additions.length === 0) return [];
  const [last] = await entries.find({}).sort({ _id: -1 }).limit(1).toArray();
  // Read after the last entry: any decision that isn't found here takes the next number first.
  const later = await Promise.all(additions.map((each) => laterDecision(entries, each)));
  let head = last && toEntry(last);
  const inserted: AuditEntry[] = [];
  const appended = additions.map(({ record, last: after }, at): [string, Appended] => {
    const { action, subject } = record;
    const other =
      later[at] ??
      (after === undefined
        ? undefined
        : inserted.findLast((each) => each.action === action && each.subject === subject));
    if (other !== undefined) return [auditKeyOf(record), { entry: other, isOther: true }];
    head = nextEntry(head, record);
    inserted.push(head);
    return [auditKeyOf(record), { entry: head, isOther: false }];
  });
  return (await insertEntries(entries, inserted)) ? appended : undefined;
}

/** Returns the last decision that prevents this addition. */
async function laterDecision(
  entries: Collection<AuditDocument>,
  { record: { action, subject }, last }: Addition,
): Promise<AuditEntry | undefined> {
  if (last === undefined) return undefined;
  const other = { action, subject, ...decisions, _id: { $gt: last } };
  const [found] = await entries.find(other).sort({ _id: -1 }).limit(1).toArray();
  return found && toEntry(found);
}

async function insertEntries(entries: Collection<AuditDocument>, inserted: readonly AuditEntry[]) {
  const [first, ...others] = inserted.map(documentOf);
  if (first === undefined) return true;
  return others.length === 0
    ? insertOnce(entries, first)
    : onceByKey(() => entries.insertMany([first, ...others], { ordered: true }));
}

function documentOf(entry: AuditEntry): AuditDocument {
  const { sequence, person, action, subject, operation, detail, call } = entry;
  return {
    _id: sequence,
    schema_version: 1,
    key: auditKeyOf(entry),
    person,
    action,
    subject,
    operation,
    detail,
    ...(call && { call: toStored(call) }),
    previous_hash: entry.previousHash,
    hash: entry.hash,
    created_at: entry.at,
  };
}

/** The cast is safe: only this service writes its trail, and its actions are a closed union. */
function toEntry<Action extends string>(document: AuditDocument): AuditEntry<Action> {
  const { _id: sequence, person, subject, operation, detail, call, hash } = document;
  return {
    sequence,
    person,
    subject,
    operation,
    detail,
    hash,
    action: document.action as Action,
    ...(call && { call: fromStored<AuditCall>(call) }),
    previousHash: document.previous_hash,
    at: document.created_at,
  };
}
