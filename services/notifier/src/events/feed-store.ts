import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Collection } from "mongodb";
import { type EventDocument, schemaVersion } from "./documents.ts";
import { fedTypes } from "./rules/event.ts";
import type { EventStore } from "./store.ts";

/**
 * The end of a merchant's feed. A reader at the end assigns positions to the next events in three
 * writes. First, this document names the events, so that one writer wins. Then the events get their
 * positions, and a repeat changes nothing. Finally `next` moves past them. Readers see only events
 * before `next`.
 */
type FeedDocument = {
  /** The merchant whose feed this is. */
  _id: string;
  schema_version: number;
  /** The first position that may not be read yet. */
  next: number;
  /** Keys of the events that get the positions from `next` on. */
  assigning?: string[];
};

export type FedEvent = EventDocument & { readonly position: number };

export type FeedStore = ReturnType<typeof openFeedStore>;

/** The feeds' events are in the collection of all events. */
export function openFeedStore(
  { db }: Pick<Database, "db">,
  { collection: events }: Pick<EventStore, "collection">,
) {
  const feeds = db.collection<FeedDocument>("feeds");

  return {
    /**
     * Returns the first position that may not be read yet. Completes unfinished assignments first.
     */
    next: async (merchantId: string): Promise<number> => {
      for (;;) {
        const feed = await feeds.findOne({ _id: merchantId });
        if (feed?.assigning === undefined) return feed?.next ?? 1;
        await finish({ feeds, events }, feed, feed.assigning);
      }
    },

    /** Events between two positions, both exclusive, in order. */
    page: (merchantId: string, after: number, before: number, limit: number) =>
      events
        .find({ merchant_id: merchantId, position: { $gt: after, $lt: before } }, { hint: "fed" })
        .sort({ position: 1 })
        .limit(limit)
        .toArray() as Promise<FedEvent[]>,

    /** Keys of events without a position, in order of receipt. */
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

    /** Names the next events, unless `next` has changed or others are named. */
    assign: async (merchantId: string, next: number, keys: readonly string[]): Promise<void> => {
      // A duplicate key means that another reader created this feed.
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
 * Completes an assignment. A repeat changes nothing. An expired event leaves its position empty.
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

/** Encodes the last read position as opaque text, bound to this merchant's feed. */
export function writeFeedCursor(merchantId: string, position: number): string {
  return Buffer.from(`${merchantId}/${position}`).toString("base64url");
}

/** Returns the last read position; 0 is the start. */
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

/** Refuses a cursor that this feed never returned, because a guessed one would skip events. */
export function foreignCursor(): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", "after: must be the next_cursor of an earlier response");
}
