import type { Database } from "@disburse/chassis/mongo/database.ts";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Collection } from "mongodb";
import { type EventDocument, schemaVersion } from "./documents.ts";
import { fedTypes } from "./rules/event.ts";
import type { EventStore } from "./store.ts";

/**
 * The end of a merchant's feed. A reader at the end gives the next events positions, in three
 * writes: this document names them (one writer wins), the events get their positions (a repeat
 * changes nothing), and `next` moves past them. Only events before `next` are read.
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

/** Merchants' feeds. */
export type FeedStore = ReturnType<typeof openFeedStore>;

/** Opens the feeds; their events are in the collection of all events. */
export function openFeedStore(
  { db }: Pick<Database, "db">,
  { collection: events }: Pick<EventStore, "collection">,
) {
  const feeds = db.collection<FeedDocument>("feeds");

  return {
    /** The first position that may not be read yet; finishes what other readers left. */
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

    /** Names the next events, if `next` is unchanged and no others are named. */
    assign: async (merchantId: string, next: number, keys: readonly string[]): Promise<void> => {
      // A duplicate key: another reader began this feed.
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

/** Finishes an assignment; a repeat changes nothing. An expired event leaves its position empty. */
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

/** Writes the position that was read last as opaque text: of this merchant's feed alone. */
export function writeFeedCursor(merchantId: string, position: number): string {
  return Buffer.from(`${merchantId}/${position}`).toString("base64url");
}

/** The position behind which to read: 0 is the beginning. */
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

/** Refuses a cursor that this feed never gave: a guess would skip events. */
export function foreignCursor(): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", "after: must be the next_cursor of an answer before");
}
