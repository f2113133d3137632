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

/** A stored record with its whole body decrypted and its screening scope. */
export type Opened<T> = {
  readonly record: T;
  readonly whole: Fields;
  readonly scope: ScreeningScope;
};

/** The operation's first record, or a refusal if a repeat has a different request. */
type First<T> = Opened<T> | Refused<"INVALID_REQUEST">;

/** A pending record that is due, with the number of the starting attempt. */
export type Due<T = StoredRecord> = Opened<T> & {
  readonly attempt: number;
  /** The request that created the record, if known. */
  readonly origin?: Origin;
};

export type RecordStore<T extends StoredRecord = StoredRecord> = ReturnType<
  typeof openRecords<T, RecordDocument>
>;

/** The parts that differ between kinds of records. */
export type RecordKind<T, D extends RecordDocument> = {
  readonly name: string;
  readonly listedBy: ListedBy;
  readonly toRecord: (document: D, body: OpenBody) => T;
  readonly scope: (record: T, whole: Fields) => ScreeningScope;
  /**
   * Returns the prefix of the ids of a record's events; absent if its changes publish no events.
   */
  readonly changed?: (id: string) => string;
};

/** When a result is written. `creation` means before the creation call returns. */
export type WrittenAt = "creation" | "later";

/** Every query of this collection uses an index. */
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
    /** Stores a record. A repeated operation returns its first record. */
    insert: async (document: RecordDocument, { content }: RequestedChange): Promise<First<T>> => {
      const { merchant_id, operation_id } = document;
      return firstOf(await insertOrFind(records, document, { merchant_id, operation_id }), content);
    },
    /**
     * Returns the record that an operation created. Refuses if a repeat has a different request.
     */
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
    readAll: async (merchant_id: string, ids: readonly string[]): Promise<T[]> =>
      (await records.find({ _id: { $in: [...ids] }, merchant_id }).toArray()).map(toRecord),
    /** Like `open`, for several records in no particular order. */
    openAll: async (merchant_id: string, ids: readonly string[]): Promise<Opened<T>[]> =>
      (await records.find({ _id: { $in: [...ids] }, merchant_id }).toArray()).map(opened),
    has: async (merchant_id: string, _id: string): Promise<boolean> =>
      (await records.findOne({ _id, merchant_id }, { projection: { _id: 1 } })) !== null,
    open: (merchant_id: string, _id: string) => findOpened({ _id, merchant_id }),
    /**
     * Returns a page of a merchant's records, newest first, and the number that match the filter.
     */
    list: async (merchantId: string, filter: RecordFilter, request: PageRequest) => {
      const { shown, ...rest } = await listRecords(records, listedBy, merchantId, filter, request);
      return { shown: shown.map(toRecord), ...rest };
    },
    /**
     * In one write, claims the pending record that has waited longest and schedules its next
     * attempt.
     */
    takeDue: async (now: Date, sweepEveryMs: number): Promise<Due<T> | undefined> => {
      const taken = await takeDue(records, now, sweepEveryMs);
      if (taken === undefined) return undefined;
      const { document, attempt } = taken;
      return { ...opened(document), attempt, origin: originOf(document) };
    },
    /**
     * Returns the number of pending records, reading at most `limit`, and the age of the oldest.
     */
    readPending: (limit: number) => readPending(records, limit),
    writeScreening: resultWriter(records, kind),
  };
}

/**
 * Writes a result only if it is newer than the stored one. Returns true if it wrote. A status
 * change after the creation returned adds an event to publish.
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

/** Retries if another process claimed the record, because others may be due. */
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
      // Within one millisecond the screening id decides, because ids sort by time.
      { $and: [sameMoment, { $lt: ["$screening.screening_id", { $literal: screeningId }] }] },
    ],
  };
  const isTaken = { $and: [{ $eq: ["$merchant_id", { $literal: merchantId }] }, isNewer] };
  const next = {
    screening: { $cond: [isTaken, { $literal: screening }, "$screening"] },
    updated_at: { $cond: [isTaken, now, "$updated_at"] },
    ...(eventPrefix !== undefined && pendingChange(isTaken, status, eventPrefix, now)),
  };
  // Filters by the id alone, which halves the cost. The update itself compares the rest.
  const { modifiedCount } = await records.updateOne({ _id: id }, [{ $set: next }]);
  return modifiedCount === 1;
}

/** Adds a status change to the record's outbox, in the write that changes the status. */
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
