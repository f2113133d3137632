import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Collection } from "mongodb";
import { type EventDocument, schemaVersion } from "./documents.ts";
import { fedTypes } from "./rules/event.ts";
import type { EventStore } from "./store.ts";

/**
 * The end of a merchant's feed. A reader that reaches the end gives positions to the next events in
 * three writes. The first write stores the events' keys in this document, so that only one writer
 * succeeds. The second write gives the events their positions and can be repeated. The third write
 * moves `next` behind these events. Readers see only events before `next`.
 */
type FeedDocument = {
  /** The id of the merchant. */
  _id: string;
  schema_version: number;
  /** The first position that readers may not read yet. */
  next: number;
  /** Keys of the events that are about to get positions, starting at `next`. */
  assigning?: string[];
};

export type FedEvent = EventDocument & { readonly position: number };

export type FeedStore = ReturnType<typeof openFeedStore>;

/** Opens the store of feeds. The events of a feed are in the collection of all events. */
export function openFeedStore(
  { db }: Pick<Database, "db">,
  { collection: events }: Pick<EventStore, "collection">,
) {
  const feeds = db.collection<FeedDocument>("feeds");

  return {
    /**
     * Returns the first position that readers may not read yet. Before that, completes an
     * unfinished assignment of positions.
     */
    next: async (merchantId: string): Promise<number> => {
      for (;;) {
        const feed = await feeds.findOne({ _id: merchantId });
        if (feed?.assigning === undefined) return feed?.next ?? 1;
        await finish({ feeds, events }, feed, feed.assigning);
      }
    },

    /** Returns the events between two positions in order, without the events at these positions. */
    page: (merchantId: string, after: number, before: number, limit: number) =>
      events
        .find({ merchant_id: merchantId, position: { $gt: after, $lt: before } }, { hint: "fed" })
        .sort({ position: 1 })
        .limit(limit)
        .toArray() as Promise<FedEvent[]>,

    /** Returns the keys of events without a position, in the order of their receipt. */
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

    /**
     * Stores the keys of the events that get the next positions. Does nothing if `next` has changed
     * or other keys are stored.
     */
    assign: async (merchantId: string, next: number, keys: readonly string[]): Promise<void> => {
      // A duplicate key means that another reader has created this feed.
      await onceByKey(() =>
        feeds.updateOne(
          { _id: merchantId, next, assigning: { $exists: false } },
          { $set: { assigning: [...keys] }, $setOnInsert: { schema_version: schemaVersion } },
          { upsert: next === 1 },
        ),
      );
    },
  };
}

/**
 * Completes an assignment of positions. A repeat changes nothing. If an event has expired, its
 * position stays empty.
 */
async function finish(
  { feeds, events }: { feeds: Collection<FeedDocument>; events: Collection<EventDocument> },
  { _id, next }: FeedDocument,
  keys: readonly string[],
): Promise<void> {
  const writes = keys.map((key, at) => ({
    updateOne: {
      filter: { _id: key },
      update: { $set: { position: next + at } },
    },
  }));
  await events.bulkWrite(writes, { ordered: false });
  await feeds.updateOne(
    { _id, next },
    { $set: { next: next + keys.length }, $unset: { assigning: "" } },
  );
}

const cursorText = /^([\x21-\x7e]{1,128})\/(\d{1,15})$/;

/**
 * Encodes the last read position as an opaque text. The text is valid only for this merchant's
 * feed.
 */
export function writeFeedCursor(merchantId: string, position: number): string {
  return Buffer.from(`${merchantId}/${position}`).toString("base64url");
}

/** Decodes the last read position. Position 0 is the start of the feed. */
export function readFeedCursor(
  merchantId: string,
  text: string,
): number | Refused<"INVALID_REQUEST"> {
  if (text === "") return 0;
  const match = cursorText.exec(Buffer.from(text, "base64url").toString("latin1"));
  const position = Number(match?.[2]);
  const isOurs = match?.[1] === merchantId && writeFeedCursor(merchantId, position) === text;
  return isOurs ? position : foreignCursor();
}

/** Refuses a cursor that this feed never returned. A guessed cursor would skip events. */
export function foreignCursor(): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", "after: must be the next_cursor of an earlier response");
}
