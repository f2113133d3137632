import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Collection } from "mongodb";
import type { DeliveryStore } from "../deliveries/store.ts";
import { type EventDocument, eventKeptMs } from "../events/documents.ts";
import type { EventStore } from "../events/store.ts";
import { openGaps } from "./open-gaps.ts";
import type { GapKind, GapWindow } from "./rules/window.ts";

/** How far the sweep of a kind has come. */
type CheckpointDocument = { _id: GapKind; schema_version: number; through: Date };

/** A stored event, as far as it determines its deliveries. */
export type EventReach = Pick<
  EventDocument,
  "_id" | "merchant_id" | "event_id" | "endpoint_ids" | "received_at"
>;

/** So many events are checked by one read. */
const chunkMax = 500;

/** What sweeps read and write. */
export type GapStore = ReturnType<typeof openGapStore>;

/** Opens the checkpoints of sweeps, and reads what is stored and what should be. */
export function openGapStore(
  { db }: Pick<Database, "db">,
  { collection: events }: Pick<EventStore, "collection">,
  { collection: deliveries }: Pick<DeliveryStore, "collection">,
) {
  const checkpoints = db.collection<CheckpointDocument>("checkpoints");
  return {
    /** Where the last sweep ended; `undefined` before the first. */
    through: async (kind: GapKind): Promise<Date | undefined> =>
      (await checkpoints.findOne({ _id: kind }))?.through,

    /** A sweep has come so far; never goes back. */
    advance: async (kind: GapKind, through: Date): Promise<void> => {
      await checkpoints.updateOne(
        { _id: kind },
        { $max: { through }, $setOnInsert: { schema_version: 1 } },
        { upsert: true },
      );
    },

    ...openGaps(db),

    /** Which of these keys of events are stored. */
    storedEvents: (keys: readonly string[]) => present(events, keys),

    /** Which of these deliveries are stored. */
    storedDeliveries: (ids: readonly string[]) => present(deliveries, ids),

    readEvents: (keys: readonly string[]) => events.find({ _id: { $in: [...keys] } }).toArray(),

    /** Events that were received in a window, those received first, some at a time. */
    receivedIn: async function* ({ from, to }: GapWindow): AsyncGenerator<EventReach[]> {
      // They expire all alike, and their expiry has an index.
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
