import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Collection } from "mongodb";
import type { DeliveryStore } from "../deliveries/store.ts";
import { type EventDocument, eventKeptMs } from "../events/documents.ts";
import type { EventStore } from "../events/store.ts";
import { openGaps } from "./open-gaps.ts";
import type { GapKind, GapWindow } from "./rules/window.ts";

type CheckpointDocument = { _id: GapKind; schema_version: number; through: Date };

/** The fields of a stored event that determine its deliveries. */
export type EventReach = Pick<
  EventDocument,
  "_id" | "merchant_id" | "event_id" | "endpoint_ids" | "received_at"
>;

const chunkMax = 500;

export type GapStore = ReturnType<typeof openGapStore>;

/** Stores the checkpoints of the sweeps. Also reads events and deliveries. */
export function openGapStore(
  { db }: Pick<Database, "db">,
  { collection: events }: Pick<EventStore, "collection">,
  { collection: deliveries }: Pick<DeliveryStore, "collection">,
) {
  const checkpoints = db.collection<CheckpointDocument>("checkpoints");
  return {
    /** Returns the end of the last sweep. Returns `undefined` before the first. */
    through: async (kind: GapKind): Promise<Date | undefined> =>
      (await checkpoints.findOne({ _id: kind }))?.through,

    /** Moves a checkpoint forward. Never moves it back. */
    advance: async (kind: GapKind, through: Date): Promise<void> => {
      await checkpoints.updateOne(
        { _id: kind },
        { $max: { through }, $setOnInsert: { schema_version: 1 } },
        { upsert: true },
      );
    },

    ...openGaps(db),

    /** Returns the keys whose events are stored. */
    storedEvents: (keys: readonly string[]) => present(events, keys),

    /** Returns the ids whose deliveries are stored. */
    storedDeliveries: (ids: readonly string[]) => present(deliveries, ids),

    readEvents: (keys: readonly string[]) => events.find({ _id: { $in: [...keys] } }).toArray(),

    /** Yields the events that were received in a time span, in chunks, earliest first. */
    receivedIn: async function* ({ from, to }: GapWindow): AsyncGenerator<EventReach[]> {
      // The search uses `expires_at`, which has an index. All events have the same retention, so
      // the order is the same.
      const found = events
        .find<EventReach>(
          { expires_at: { $gte: after(from, eventKeptMs), $lt: after(to, eventKeptMs) } },
          { projection: { merchant_id: 1, event_id: 1, endpoint_ids: 1, received_at: 1 } },
        )
        .sort({ expires_at: 1 })
        .batchSize(chunkMax);
      let chunk: EventReach[] = [];
      for await (const event of found) {
        chunk.push(event);
        if (chunk.length < chunkMax) continue;
        yield chunk;
        chunk = [];
      }
      if (chunk.length > 0) yield chunk;
    },
  };
}

function after(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms);
}

async function present<T extends { _id: string }>(
  collection: Collection<T>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const untyped = collection as unknown as Collection<{ _id: string }>;
  const found = untyped.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } });
  return new Set((await found.toArray()).map(({ _id }) => _id));
}
