import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertNew } from "../deliveries/insert.ts";
import { type EventNumber, numberKey } from "../deliveries/order/recent-events.ts";
import type { Arrived } from "../deliveries/order/store.ts";
import type { EventDocument } from "./documents.ts";

export type EventStore = ReturnType<typeof openEventStore>;

/** Opens the store of all events, including those that no endpoint subscribes to. */
export function openEventStore({ db }: Database) {
  const events = db.collection<EventDocument>("events");

  return {
    collection: events,

    /**
     * Stores a batch of events. For a duplicate, returns the event that was stored first, with its
     * endpoints. Omits an event if its operation has already stored another event or had a
     * different request.
     */
    store: async (documents: readonly EventDocument[]): Promise<EventDocument[]> => {
      const there = await insertNew(events, documents);
      if (there.size === 0) return [...documents];
      const fresh = documents.filter((_each, at) => !there.has(at));
      const known = new Map(
        documents.flatMap((each, at) => (there.has(at) ? [[each._id, each]] : [])),
      );
      const stored = await events.find({ _id: { $in: [...known.keys()] } }).toArray();
      return [...fresh, ...stored.filter((each) => isRepeated(each, known.get(each._id)))];
    },

    findByOperation: (merchantId: string, operationId: string) =>
      events.findOne({ merchant_id: merchantId, operation_id: operationId }),

    /** Finds the stored events with these numbers. The result is keyed by `numberKey`. */
    arrived: async (numbers: readonly EventNumber[]): Promise<ReadonlyMap<string, Arrived>> => {
      if (numbers.length === 0) return new Map();
      const found = await events.find({ $or: [...numbers] }, { projection: { body: 0 } }).toArray();
      return new Map(found.map((each) => [numberKey(each), each]));
    },
  };
}

/**
 * Returns true if `again` is a repeat of a stored event. If the operations are different, the equal
 * id suffices.
 */
function isRepeated(stored: EventDocument, again: EventDocument | undefined): boolean {
  const { operation_id, operation_content } = again ?? {};
  if (operation_id === undefined || stored.operation_id !== operation_id) return true;
  return stored.operation_content === operation_content;
}
