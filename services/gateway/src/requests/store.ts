import {
  countedTotal,
  countMax,
  type PageCursor,
  type PageRequest,
  readPage,
} from "@disburse/chassis/paging/page.ts";
import { newId } from "@disburse/kernel/id.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Collection, Db, Filter } from "mongodb";
import {
  hasFailed,
  type RequestCaller,
  type RequestEntry,
  spanMaxMs,
  spansOf,
} from "./rules/request.ts";

const collectionName = "request_log";
/** Retention of requests. Stripe's workbench and most similar tools also keep them for a week. */
const keptMs = 7 * 24 * 60 * 60_000;

/**
 * Requests of one merchant that one gateway collected within a few seconds. The document never
 * changes.
 */
type RequestDocument = {
  _id: string;
  schema_version: 1;
  merchant_id: string;
  caller: RequestCaller;
  first_at: Date;
  last_at: Date;
  /** `true` if any of the requests failed. Otherwise absent. */
  has_failed?: true;
  /** Sorted by `at`, oldest first. */
  requests: readonly RequestEntry[];
};

export type ListedRequest = RequestEntry & {
  readonly id: string;
  readonly caller: RequestCaller;
};

export type RequestFilter = {
  readonly merchantId: string;
  readonly caller: RequestCaller | undefined;
  readonly requestId: string | undefined;
  readonly failed: boolean | undefined;
  readonly from: Date | undefined;
  readonly to: Date | undefined;
};

/** Requests that are stored together. They have the same merchant and the same kind of caller. */
export type RequestGroup = {
  readonly merchantId: string;
  readonly caller: RequestCaller;
  readonly entries: readonly RequestEntry[];
};

export type RequestStore = ReturnType<typeof openRequestStore>;

export function openRequestStore(db: Db, clock: Clock) {
  const collection: Collection<RequestDocument> = db.collection(collectionName);
  return {
    /**
     * Stores one document per group. Only the primary confirms the write, because losing a log
     * entry is acceptable.
     */
    insert: async (groups: readonly RequestGroup[]): Promise<void> => {
      const documents = groups.flatMap(documentsOf);
      await collection.insertMany(documents, { ordered: false, writeConcern: { w: 1 } });
    },
    /** Returns a page of a merchant's requests, newest first, and the total count. */
    page: async (filter: RequestFilter, request: PageRequest) => {
      const [page, count] = await Promise.all([
        readPage(
          "requests",
          request,
          ({ after, limit }) => newest(collection, filter, after, limit),
          ({ at, id }) => ({ at, id }),
        ),
        countOf(collection, filter),
      ]);
      return { ...page, ...countedTotal(count) };
    },
    sweep: async (): Promise<void> => {
      const end = new Date(clock.now().getTime() - keptMs);
      await collection.deleteMany({ last_at: { $lte: end } });
    },
  };
}

function documentsOf({ merchantId, caller, entries }: RequestGroup): RequestDocument[] {
  return spansOf(entries).map((requests) => {
    const last_at = requests.at(-1)?.at ?? new Date(0);
    return {
      _id: newId("requestLog", last_at),
      schema_version: 1,
      merchant_id: merchantId,
      caller,
      first_at: requests[0]?.at ?? last_at,
      last_at,
      ...(requests.some(hasFailed) && { has_failed: true }),
      requests,
    };
  });
}

/** Finds documents that may contain matching requests. */
function documentsWith(filter: RequestFilter, until?: Date): Filter<RequestDocument> {
  const { merchantId, caller, requestId, failed, from, to } = filter;
  const ends = [until, to].filter((each) => each !== undefined);
  const end = ends.sort((a, b) => a.getTime() - b.getTime())[0];
  const latest = end && new Date(end.getTime() + spanMaxMs);
  return {
    merchant_id: merchantId,
    ...(caller && { caller }),
    ...(requestId && { "requests.request_id": requestId }),
    ...(failed && { has_failed: true }),
    ...((from || latest) && {
      last_at: { ...(from && { $gte: from }), ...(latest && { $lte: latest }) },
    }),
    ...(end && { first_at: { $lte: end } }),
  };
}

const latestFirst = { last_at: -1 } as const;
/** Number of documents to read at once. Most pages need only the last one or two. */
const batchSize = 10;

/**
 * Returns the newest requests after a cursor. Documents of several gateways overlap in time. A
 * request's position is final when a document is read that ended before the request. All further
 * documents ended even earlier.
 */
async function newest(
  collection: Collection<RequestDocument>,
  filter: RequestFilter,
  after: PageCursor | undefined,
  limit: number,
): Promise<ListedRequest[]> {
  const found = collection.find(documentsWith(filter, after?.at), { batchSize }).sort(latestFirst);
  const placed: ListedRequest[] = [];
  let held: ListedRequest[] = [];
  for await (const document of found) {
    const isPlaced = ({ at }: ListedRequest) => at > document.last_at;
    placed.push(...held.filter(isPlaced).sort(compareNewest));
    if (placed.length >= limit) return placed.slice(0, limit);
    held = [
      ...held.filter((each) => !isPlaced(each)),
      ...listed(document).filter((each) => passes(each, filter) && isAfter(each, after)),
    ];
  }
  return [...placed, ...held.sort(compareNewest)].slice(0, limit);
}

/**
 * A request's id ends with its index in the document. The index has three digits, so that the ids
 * sort correctly.
 */
function listed({ _id, caller, requests }: RequestDocument): ListedRequest[] {
  return requests.map((entry, place) => {
    return { ...entry, caller, id: `${_id}_${String(place).padStart(3, "0")}` };
  });
}

function compareNewest(a: ListedRequest, b: ListedRequest): number {
  return b.at.getTime() - a.at.getTime() || (a.id < b.id ? 1 : -1);
}

function isAfter({ at, id }: ListedRequest, after: PageCursor | undefined): boolean {
  if (after === undefined) return true;
  return at < after.at || (at.getTime() === after.at.getTime() && id < after.id);
}

function passes(entry: ListedRequest, { requestId, failed, from, to }: RequestFilter): boolean {
  return (
    (requestId === undefined || entry.request_id === requestId) &&
    (failed === undefined || hasFailed(entry) === failed) &&
    (from === undefined || entry.at >= from) &&
    (to === undefined || entry.at < to)
  );
}

/** Counts matching requests document by document. Stops when the count exceeds `countMax`. */
async function countOf(
  collection: Collection<RequestDocument>,
  filter: RequestFilter,
): Promise<number> {
  const counted = collection.aggregate<{ count: number }>([
    { $match: documentsWith(filter) },
    { $sort: latestFirst },
    { $project: { _id: 0, count: { $size: { $filter: passing(filter) } } } },
  ]);
  let sum = 0;
  for await (const { count } of counted) {
    sum += count;
    if (sum > countMax) break;
  }
  return sum;
}

/** Builds the database condition that corresponds to `passes`. */
function passing({ requestId, failed, from, to }: RequestFilter) {
  const statusFailed = { $or: [{ $eq: ["$$this.status", 0] }, { $gte: ["$$this.status", 400] }] };
  const conditions = [
    ...(requestId === undefined ? [] : [{ $eq: ["$$this.request_id", requestId] }]),
    ...(failed === undefined ? [] : [{ $eq: [statusFailed, failed] }]),
    ...(from === undefined ? [] : [{ $gte: ["$$this.at", from] }]),
    ...(to === undefined ? [] : [{ $lt: ["$$this.at", to] }]),
  ];
  return { input: "$requests", cond: { $and: conditions } };
}
