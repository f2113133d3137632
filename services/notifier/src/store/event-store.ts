import { type Database, ensureIndexes } from "@disburse/chassis/mongo.ts";
import type { EventDocument } from "./documents.ts";
import { insertUnlessThere } from "./insert.ts";

export type EventStore = Awaited<ReturnType<typeof openEventStore>>;

/** One event of a transaction, by its number. */
export type EventNumber = {
  readonly merchantId: string;
  readonly transactionType: string;
  readonly transactionId: string;
  readonly sequence: number;
};

/** Every event that arrived, whether or not anyone is told of it. */
export async function openEventStore({ db }: Database) {
  const events = db.collection<EventDocument>("events");
  await ensureIndexes(db, "events", [
    {
      key: { merchant_id: 1, transaction_type: 1, transaction_id: 1, sequence: 1 },
      name: "sequence",
    },
    {
      key: { merchant_id: 1, operation_id: 1 },
      name: "operation",
      unique: true,
      partialFilterExpression: { operation_id: { $exists: true } },
    },
    { key: { expires_at: 1 }, name: "expiry" },
  ]);

  return {
    collection: events,

    /**
     * Stores a batch and answers it as it is stored: an event that was there already comes back as
     * the one that was first, with the endpoints that were chosen then. One whose operation has
     * stored another event is left out.
     */
    store: async (documents: readonly EventDocument[]): Promise<EventDocument[]> => {
      const there = await insertUnlessThere(events, documents);
      if (there.size === 0) return [...documents];
      const fresh = documents.filter((_each, at) => !there.has(at));
      const ids = documents.filter((_each, at) => there.has(at)).map(({ _id }) => _id);
      const stored = await events.find({ _id: { $in: ids } }).toArray();
      return [...fresh, ...stored];
    },

    findByOperation: (merchantId: string, operationId: string) =>
      events.findOne({ merchant_id: merchantId, operation_id: operationId }),

    /** Which of these numbers have arrived; written as `numberKey` writes them. */
    arrived: async (numbers: readonly EventNumber[]): Promise<ReadonlySet<string>> => {
      if (numbers.length === 0) return new Set();
      const found = await events
        .find(
          {
            $or: numbers.map((each) => ({
              merchant_id: each.merchantId,
              transaction_type: each.transactionType,
              transaction_id: each.transactionId,
              sequence: each.sequence,
            })),
          },
          {
            projection: { merchant_id: 1, transaction_type: 1, transaction_id: 1, sequence: 1 },
          },
        )
        .toArray();
      return new Set(
        found.map((each) =>
          numberKey({
            merchantId: each.merchant_id,
            transactionType: each.transaction_type,
            transactionId: each.transaction_id,
            sequence: each.sequence,
          }),
        ),
      );
    },
  };
}

/** An event's number as text, for sets. */
export function numberKey(number: EventNumber): string {
  const { merchantId, transactionType, transactionId, sequence } = number;
  return JSON.stringify([merchantId, transactionType, transactionId, sequence]);
}
