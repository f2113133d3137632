import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce, onceByKey } from "@disburse/chassis/mongo/once.ts";
import { findCountedPage, oldestFirst, type PageRequest } from "@disburse/chassis/paging/page.ts";
import {
  type EndpointDocument,
  endpointDocument,
  toEndpoint,
  toRecipient,
  withoutHistory,
} from "./documents.ts";
import { type EndpointRecord, endpointsMax, type Recipient } from "./rules/endpoint.ts";

export type EndpointStore = ReturnType<typeof openEndpointStore>;

const places = [...Array(endpointsMax).keys()];

export function openEndpointStore({ db }: Database) {
  const endpoints = db.collection<EndpointDocument>("endpoints");
  const found = (document: EndpointDocument | null): EndpointRecord | undefined =>
    document === null ? undefined : toEndpoint(document);

  return {
    collection: endpoints,

    /** Inserts an endpoint. Returns `false` if another one has the same operation id or place. */
    insert: (endpoint: EndpointRecord) => insertOnce(endpoints, endpointDocument(endpoint)),

    /**
     * Writes the next revision of an endpoint. Returns `false` if another write has created a newer
     * revision.
     */
    revise: async (next: EndpointRecord): Promise<boolean> => {
      const { id: _id, merchantId: merchant_id, revision } = next;
      const before = { _id, merchant_id, revision: revision - 1 };
      let count = 0;
      await onceByKey(async () => {
        count = (await endpoints.replaceOne(before, endpointDocument(next))).matchedCount;
      });
      return count === 1;
    },

    /**
     * Finds the endpoint that an operation changed. Includes deleted endpoints, so that a repeat
     * gets the first response.
     */
    findByOperation: async (merchantId: string, operationId: string) =>
      found(await endpoints.findOne({ merchant_id: merchantId, "operations.id": operationId })),

    find: async (merchantId: string, id: string) =>
      found(await endpoints.findOne({ _id: id, ...active(merchantId) })),

    /** Returns a page, oldest first, and the total count. */
    list: async (merchantId: string, request: PageRequest) => {
      const order = oldestFirst;
      const page = await findCountedPage(endpoints, active(merchantId), request, { order });
      return { ...page, shown: page.shown.map(toEndpoint) };
    },

    freePlaces: async (merchantId: string): Promise<readonly number[]> => {
      const all = await endpoints.find(active(merchantId), { projection: { place: 1 } }).toArray();
      const taken = new Set(all.map(({ place }) => place));
      return places.filter((place) => !taken.has(place));
    },

    /** Returns the active endpoints that subscribe to one of these types, keyed by merchant. */
    findSubscribed: async (
      merchantIds: readonly string[],
      eventTypes: readonly string[],
    ): Promise<ReadonlyMap<string, readonly Recipient[]>> => {
      const subscribed = {
        merchant_id: { $in: [...merchantIds] },
        deleted_at: null,
        event_types: { $in: [...eventTypes] },
      };
      const found = await endpoints.find(subscribed, { projection: withoutHistory }).toArray();
      return Map.groupBy(found.map(toRecipient), ({ merchantId }) => merchantId);
    },

    /** Returns those of the endpoints that are active. */
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
