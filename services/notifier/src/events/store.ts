import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertNew } from "../deliveries/insert.ts";
import { type EventNumber, numberKey } from "../deliveries/order/recent-events.ts";
import type { Arrived } from "../deliveries/order/store.ts";
import type { EventDocument } from "./documents.ts";

/** Every event that arrived. */
export type EventStore = ReturnType<typeof openEventStore>;

/** Opens the store of all events, those without a subscribed endpoint too. */
export function openEventStore({ db }: Database) {
  const events = db.collection<EventDocument>("events");

  return {
    collection: events,

    /**
     * Stores a batch. A duplicate is answered as first stored, with the endpoints chosen then; an
     * event whose operation has stored another one is left out.
     */
    store: async (documents: readonly EventDocument[]): Promise<EventDocument[]> => {
      const there = await insertNew(events, documents);
      if (there.size === 0) return [...documents];
      const fresh = documents.filter((_each, at) => !there.has(at));
      const ids = documents.filter((_each, at) => there.has(at)).map(({ _id }) => _id);
      const stored = await events.find({ _id: { $in: ids } }).toArray();
      return [...fresh, ...stored];
    },

    findByOperation: (merchantId: string, operationId: string) =>
      events.findOne({ merchant_id: merchantId, operation_id: operationId }),

    /** The events of these numbers that have arrived, by `numberKey`. */
    arrived: async (numbers: readonly EventNumber[]): Promise<ReadonlyMap<string, Arrived>> => {
      if (numbers.length === 0) return new Map();
      const found = await events.find({ $or: [...numbers] }, { projection: { body: 0 } }).toArray();
      return new Map(found.map((each) => [numberKey(each), each]));
    },
  };
}
