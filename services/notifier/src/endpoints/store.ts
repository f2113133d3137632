import { type Database, ensureIndexes, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import type { PageCursor } from "@disburse/chassis/paging/cursor.ts";
import { behind, oldestFirst } from "@disburse/chassis/paging/record-page.ts";
import type { Collection, Filter, IndexDescription } from "mongodb";
import {
  type EndpointDocument,
  endpointDocument,
  toEndpoint,
  toRecipient,
  withoutHistory,
} from "./documents.ts";
import { type EndpointRecord, endpointsMax, type Recipient } from "./rules/endpoint.ts";

/**
 * How a write ended: done, or its operation id or its place is another endpoint's, or somebody was
 * first.
 */
export type EndpointWrite = "written" | "taken" | "revised_meanwhile";

export type EndpointStore = Awaited<ReturnType<typeof openEndpointStore>>;

const indexes: readonly IndexDescription[] = [
  { key: { merchant_id: 1, deleted_at: 1, created_at: 1, _id: 1 }, name: "active" },
  // An operation id belongs to one endpoint of its merchant.
  { key: { merchant_id: 1, "operations.id": 1 }, name: "operation", unique: true },
  // However many are made at once, there are no more than places.
  {
    key: { merchant_id: 1, place: 1 },
    name: "place",
    unique: true,
    partialFilterExpression: { place: { $exists: true } },
  },
];

const places = [...Array(endpointsMax).keys()];
/** One go gives them all; the next one sees what changes and others gave meanwhile. */
const placingTries = 10;

/** Endpoints with their sealed secrets and their history. */
export async function openEndpointStore({ db }: Database) {
  const endpoints = db.collection<EndpointDocument>("endpoints");
  await ensureIndexes(db, "endpoints", indexes);
  const found = (document: EndpointDocument | null): EndpointRecord | undefined =>
    document === null ? undefined : toEndpoint(document);

  return {
    collection: endpoints,

    insert: (endpoint: EndpointRecord): Promise<EndpointWrite> =>
      unlessTaken(async () => {
        await endpoints.insertOne(endpointDocument(endpoint));
        return "written";
      }),

    /** Writes an endpoint's next revision, if the one before is still the last. */
    revise: (next: EndpointRecord): Promise<EndpointWrite> =>
      unlessTaken(async () => {
        const { id: _id, merchantId: merchant_id, revision } = next;
        const { matchedCount } = await endpoints.replaceOne(
          { _id, merchant_id, revision: revision - 1 },
          endpointDocument(next),
        );
        return matchedCount === 1 ? "written" : "revised_meanwhile";
      }),

    /** Deleted ones too: a repeat is answered as the first time. */
    findByOperation: async (merchantId: string, operationId: string) =>
      found(await endpoints.findOne({ merchant_id: merchantId, "operations.id": operationId })),

    find: async (merchantId: string, id: string) =>
      found(await endpoints.findOne({ _id: id, ...active(merchantId) })),

    /** Oldest first, after the cursor. */
    list: async (merchantId: string, after: PageCursor | undefined, limit: number) => {
      const page = endpoints.find(pageFilter(merchantId, after)).sort(oldestFirst).limit(limit);
      return (await page.toArray()).map(toEndpoint);
    },

    /** How many a merchant has; never more than there can be. */
    count: (merchantId: string) => endpoints.countDocuments(active(merchantId)),

    freePlaces: (merchantId: string) => freePlaces(endpoints, merchantId),

    /** The active ones of merchants that are told of one of these types, to choose from. */
    findSubscribed: async (
      merchantIds: readonly string[],
      eventTypes: readonly string[],
    ): Promise<ReadonlyMap<string, readonly Recipient[]>> => {
      const told = {
        ...{ merchant_id: { $in: [...merchantIds] }, deleted_at: null },
        // Those that were made before it could be set are told of everything.
        $or: [{ event_types: { $in: [...eventTypes] } }, { event_types: { $exists: false } }],
      };
      const found = await endpoints.find(told, { projection: withoutHistory }).toArray();
      return Map.groupBy(found.map(toRecipient), ({ merchantId }) => merchantId);
    },

    /** The active ones among these, to send to. */
    readActive: async (ids: readonly string[]): Promise<ReadonlyMap<string, Recipient>> => {
      const found = await endpoints
        .find({ _id: { $in: [...ids] }, deleted_at: null }, { projection: withoutHistory })
        .toArray();
      return new Map(found.map((each) => [each._id, toRecipient(each)]));
    },
  };
}

function active(merchantId: string) {
  return { merchant_id: merchantId, deleted_at: null };
}

function pageFilter(merchantId: string, after: PageCursor | undefined): Filter<EndpointDocument> {
  const listed = active(merchantId);
  return after === undefined ? listed : { $and: [listed, ...behind(after, oldestFirst)] };
}

/** What a merchant has left, once each of its endpoints from before there were any has one. */
async function freePlaces(
  endpoints: Collection<EndpointDocument>,
  merchantId: string,
): Promise<readonly number[]> {
  for (let tries = 0; tries < placingTries; tries += 1) {
    const all = await endpoints
      .find(active(merchantId), { projection: { revision: 1, place: 1 } })
      .toArray();
    const taken = new Set(all.map(({ place }) => place));
    const free = places.filter((place) => !taken.has(place));
    const unplaced = all.filter(({ place }) => place === undefined);
    if (unplaced.length === 0 || free.length === 0) return free;
    const given = free.map((place, at) => givePlace(endpoints, unplaced[at], place));
    await Promise.all(given);
  }
  throw new Error(`the endpoints of ${merchantId} are changed by too many at once`);
}

/** A revision of its own, so that no change that has begun takes the place away again. */
async function givePlace(
  endpoints: Collection<EndpointDocument>,
  endpoint: Pick<EndpointDocument, "_id" | "revision"> | undefined,
  place: number,
): Promise<void> {
  if (endpoint === undefined) return;
  const { _id, revision } = endpoint;
  await unlessTaken(async () => {
    const given = { $set: { place }, $inc: { revision: 1 } };
    const { matchedCount } = await endpoints.updateOne({ _id, revision }, given);
    return matchedCount === 1 ? "written" : "revised_meanwhile";
  });
}

async function unlessTaken(write: () => Promise<EndpointWrite>): Promise<EndpointWrite> {
  try {
    return await write();
  } catch (error) {
    if (isDuplicateKey(error)) return "taken";
    throw error;
  }
}
