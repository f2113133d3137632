import { type Database, isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import type { Collection } from "mongodb";
import { type EventDocument, schemaVersion } from "./documents.ts";
import { fedTypes } from "./rules/event.ts";
import type { EventStore } from "./store.ts";

/**
 * How far a merchant's feed has come. Whoever reads at its end gives the next events positions, in
 * three writes: this document names them (one writer wins), the events take their positions (done
 * again, nothing changes), and `next` moves past them. Only what is before `next` is read.
 */
type FeedDocument = {
  /** The merchant. */
  _id: string;
  schema_version: number;
  /** The first position that may not be read yet. */
  next: number;
  /** Keys of the events that are given the positions from `next` on. */
  assigning?: string[];
};

/** An event with its position. */
export type FedEvent = EventDocument & { readonly position: number };

export type FeedStore = ReturnType<typeof openFeedStore>;

/** Merchants' feeds; their events stand in the collection of all events. */
export function openFeedStore(
  { db }: Pick<Database, "db">,
  { collection: events }: Pick<EventStore, "collection">,
) {
  const feeds = db.collection<FeedDocument>("feeds");

  return {
    /** The first position that may not be read yet, after what others left has been done. */
    next: async (merchantId: string): Promise<number> => {
      for (;;) {
        const feed = await feeds.findOne({ _id: merchantId });
        if (feed?.assigning === undefined) return feed?.next ?? 1;
        await finish({ feeds, events }, feed, feed.assigning);
      }
    },

    /** Events behind a position and before another, in order. */
    page: (merchantId: string, after: number, before: number, limit: number) =>
      events
        .find({ merchant_id: merchantId, position: { $gt: after, $lt: before } }, { hint: "fed" })
        .sort({ position: 1 })
        .limit(limit)
        .toArray() as Promise<FedEvent[]>,

    /** Keys of events without a position, those received first before the others. */
    waiting: async (merchantId: string, limit: number): Promise<string[]> => {
      const found = await events
        .find(
          {
            merchant_id: merchantId,
            transaction_type: { $in: [...fedTypes] },
            position: { $exists: false },
          },
          { projection: { _id: 1 }, hint: "waiting" },
        )
        .sort({ received_at: 1, sequence: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /** Names the events that are next, if `next` is still so and nobody names others. */
    assign: async (merchantId: string, next: number, keys: readonly string[]): Promise<void> => {
      try {
        await feeds.updateOne(
          { _id: merchantId, next, assigning: { $exists: false } },
          {
            $set: { assigning: [...keys] },
            $setOnInsert: { schema_version: schemaVersion },
          },
          { upsert: next === 1 },
        );
      } catch (error) {
        // Somebody else began this feed.
        if (!isDuplicateKey(error)) throw error;
      }
    },
  };
}

/**
 * Does what is left of an assignment. Whoever is late changes nothing: an event takes one position
 * and keeps it, and `next` moves once. An event that expired leaves its position empty.
 */
async function finish(
  { feeds, events }: { feeds: Collection<FeedDocument>; events: Collection<EventDocument> },
  { _id, next }: FeedDocument,
  keys: readonly string[],
): Promise<void> {
  const writes = keys.map((key, at) => ({
    updateOne: {
      filter: { _id: key, position: { $exists: false } },
      update: { $set: { position: next + at } },
    },
  }));
  await events.bulkWrite(writes, { ordered: false });
  await feeds.updateOne(
    { _id, next, assigning: { $exists: true } },
    { $set: { next: next + keys.length }, $unset: { assigning: "" } },
  );
}
