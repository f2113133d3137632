import { type Origin, originOf } from "@disburse/chassis/call-context.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { insertOrFind } from "@disburse/chassis/mongo/once.ts";
import type { RequestedChange } from "@disburse/chassis/mutations/content.ts";
import type { PageRequest } from "@disburse/chassis/paging/page.ts";
import { otherContent, type Refused } from "@disburse/kernel/refusal.ts";
import type { Collection, Db, Filter } from "mongodb";
import { isOfOther, type OpenBody, openBody, openFields, type RecordDocument } from "./document.ts";
import { type ListedBy, listRecords, type RecordFilter } from "./list.ts";
import type { Fields } from "./rules/private-fields.ts";
import type { StoredRecord } from "./rules/record.ts";
import { nextAttemptAt, type ScreeningResult, type ScreeningScope } from "./rules/screening.ts";

/** A stored record with its whole body, sealed fields opened, and what is screened of it. */
export type Opened<T> = {
  readonly record: T;
  readonly whole: Fields;
  readonly scope: ScreeningScope;
};

/** The first record of an operation, or the refusal of other content. */
type First<T> = Opened<T> | Refused<"INVALID_REQUEST">;

/** A pending record that is due, and the number of the attempt that starts now. */
export type Due<T = StoredRecord> = Opened<T> & {
  readonly attempt: number;
  /** The request that made the record, where it is known. */
  readonly origin?: Origin;
};

/** Records that carry a screening: beneficiaries, depositors. */
export type RecordStore<T extends StoredRecord = StoredRecord> = ReturnType<
  typeof openRecords<T, RecordDocument>
>;

/** One kind of records: its collection, its lists' filters, how one is read and screened. */
export type RecordKind<T, D extends RecordDocument> = {
  readonly name: string;
  readonly listedBy: ListedBy;
  readonly toRecord: (document: D, body: OpenBody) => T;
  readonly scope: (record: T, whole: Fields) => ScreeningScope;
  /** What the ids of a record's events begin with; absent where changes are no events. */
  readonly changed?: (id: string) => string;
};

/** When a result is written: before a creation is answered, or later. */
export type WrittenAt = "creation" | "later";

/** Opens one collection of records; every look-up of it has an index. */
export function openRecords<T extends StoredRecord, D extends RecordDocument>(
  db: Db,
  sealer: Sealer,
  kind: RecordKind<T, D>,
) {
  const { name, listedBy } = kind;
  const recordOf = (document: RecordDocument, body: OpenBody) => kind.toRecord(document as D, body);
  const toRecord = (document: RecordDocument) => recordOf(document, openBody(document, sealer));
  const records = db.collection<RecordDocument>(name);
  const opened = (document: RecordDocument): Opened<T> => {
    const body = openBody(document, sealer);
    const [record, whole] = [recordOf(document, body), openFields(document, body, sealer)];
    return { record, whole, scope: kind.scope(record, whole) };
  };
  const firstOf = (document: RecordDocument, content: string): First<T> =>
    isOfOther(document, content, sealer) ? otherContent : opened(document);
  const findOpened = async (filter: Filter<RecordDocument>): Promise<Opened<T> | undefined> => {
    const found = await records.findOne(filter);
    return found === null ? undefined : opened(found);
  };

  return {
    /** Stores a record; answers with the first one of its operation. */
    insert: async (document: RecordDocument, { content }: RequestedChange): Promise<First<T>> => {
      const { merchant_id, operation_id } = document;
      return firstOf(await insertOrFind(records, document, { merchant_id, operation_id }), content);
    },
    /** The record that an operation made; refused where that came with other content. */
    findByOperation: async (
      merchant_id: string,
      { operationId: operation_id, content }: RequestedChange,
    ): Promise<First<T> | undefined> => {
      const found = await records.findOne({ merchant_id, operation_id });
      return found === null ? undefined : firstOf(found, content);
    },
    read: async (merchant_id: string, _id: string): Promise<T | undefined> => {
      const found = await records.findOne({ _id, merchant_id });
      return found === null ? undefined : toRecord(found);
    },
    has: async (merchant_id: string, _id: string): Promise<boolean> =>
      (await records.findOne({ _id, merchant_id }, { projection: { _id: 1 } })) !== null,
    open: (merchant_id: string, _id: string) => findOpened({ _id, merchant_id }),
    /** A page of a merchant's records, newest first, and how many pass the filter. */
    list: async (merchantId: string, filter: RecordFilter, request: PageRequest) => {
      const { shown, ...rest } = await listRecords(records, listedBy, merchantId, filter, request);
      return { shown: shown.map(toRecord), ...rest };
    },
    /** Claims the longest waiting pending record and sets when it is due again, in one write. */
    takeDue: async (now: Date, sweepEveryMs: number): Promise<Due<T> | undefined> => {
      const taken = await takeDue(records, now, sweepEveryMs);
      if (taken === undefined) return undefined;
      const { document, attempt } = taken;
      return { ...opened(document), attempt, origin: originOf(document) };
    },
    /** How many records are pending, and since when the oldest is; up to `limit` are read. */
    readPending: (limit: number) => readPending(records, limit),
    writeScreening: resultWriter(records, kind),
  };
}

/**
 * Writes a result only if it is newer than the one there; returns whether it did. A change of the
 * status after a creation was answered is an event to publish.
 */
function resultWriter(
  records: Collection<RecordDocument>,
  { changed }: Pick<RecordKind<unknown, never>, "changed">,
) {
  return (
    merchantId: string,
    id: string,
    result: ScreeningResult,
    now: Date,
    at: WrittenAt = "later",
  ): Promise<boolean> => {
    const prefix = at === "later" ? changed?.(id) : undefined;
    return writeScreening(records, { merchantId, id }, result, now, prefix);
  };
}

async function readPending(records: Collection<RecordDocument>, limit: number) {
  const steps = [
    { $match: { "screening.status": "pending" } },
    { $limit: limit },
    { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: "$created_at" } } },
  ];
  const found = records.aggregate<{ count: number; oldest: Date }>(steps, { hint: "pending" });
  const [pending] = await found.toArray();
  return { count: pending?.count ?? 0, oldest: pending?.oldest };
}

/** Another process may take a record first; others may be due then, so it looks again. */
async function takeDue(records: Collection<RecordDocument>, now: Date, sweepEveryMs: number) {
  for (;;) {
    const document = await records.findOne(
      { "screening.status": "pending", "screening.next_at": { $lte: now } },
      { sort: { "screening.next_at": 1 } },
    );
    if (document?.screening.status !== "pending") return undefined;
    const { attempts } = document.screening;
    const attempt = attempts + 1;
    const next = nextAttemptAt(attempt, now, sweepEveryMs);
    const { modifiedCount } = await records.updateOne(
      { _id: document._id, "screening.status": "pending", "screening.attempts": attempts },
      { $set: { "screening.attempts": attempt, "screening.next_at": next } },
    );
    if (modifiedCount === 1) return { document, attempt };
  }
}

async function writeScreening(
  records: Collection<RecordDocument>,
  { merchantId, id }: Pick<StoredRecord, "merchantId" | "id">,
  { status, screeningId, screenedAt }: ScreeningResult,
  now: Date,
  eventPrefix?: string,
): Promise<boolean> {
  const screening = { status, screening_id: screeningId, screened_at: screenedAt };
  const sameMoment = { $eq: ["$screening.screened_at", screenedAt] };
  const isNewer = {
    $or: [
      { $eq: ["$screening.status", "pending"] },
      { $lt: ["$screening.screened_at", screenedAt] },
      // The ids of screenings of one millisecond are ordered by time.
      { $and: [sameMoment, { $lt: ["$screening.screening_id", { $literal: screeningId }] }] },
    ],
  };
  const isTaken = { $and: [{ $eq: ["$merchant_id", { $literal: merchantId }] }, isNewer] };
  const next = {
    screening: { $cond: [isTaken, { $literal: screening }, "$screening"] },
    updated_at: { $cond: [isTaken, now, "$updated_at"] },
    ...(eventPrefix !== undefined && pendingChange(isTaken, status, eventPrefix, now)),
  };
  // A filter of the id alone costs the database half of one that compares more.
  const { modifiedCount } = await records.updateOne({ _id: id }, [{ $set: next }]);
  return modifiedCount === 1;
}

/** Adds a change of the status to the record's outbox, in the write that changes it. */
function pendingChange(isTaken: object, status: string, eventPrefix: string, now: Date) {
  const isChange = { $and: [isTaken, { $ne: ["$screening.status", { $literal: status }] }] };
  const number = { $add: [{ $ifNull: ["$screening_changes", 0] }, 1] };
  const change = {
    id: { $concat: [{ $literal: eventPrefix }, { $toString: number }] },
    number,
    status: { $literal: status },
    previous_status: "$screening.status",
    at: now,
  };
  const outbox = { $concatArrays: [{ $ifNull: ["$outbox", []] }, [change]] };
  return {
    screening_changes: { $cond: [isChange, number, "$screening_changes"] },
    outbox: { $cond: [isChange, outbox, "$outbox"] },
  };
}
