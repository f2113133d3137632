import type { Collection } from "mongodb";
import type { DeliveryStore } from "./delivery-store.ts";
import type { EventStore } from "./event-store.ts";
import type { ReplayStore } from "./replay-store.ts";

/** One delete stays short, so that it holds up nobody. */
const sweepMax = 500;

async function deleteExpired<T extends { _id: string; expires_at?: Date }>(
  collection: Collection<T>,
  now: Date,
): Promise<number> {
  const untyped = collection as unknown as Collection<{ _id: string; expires_at?: Date }>;
  const expired = await untyped
    .find({ expires_at: { $lte: now } }, { projection: { _id: 1 } })
    .limit(sweepMax)
    .toArray();
  if (expired.length === 0) return 0;
  const ids = expired.map(({ _id }) => _id);
  await untyped.deleteMany({ _id: { $in: ids }, expires_at: { $lte: now } });
  return ids.length;
}

/** Deletes what is past its time; answers whether there may be more. */
export async function sweepExpired(
  stores: {
    readonly events: EventStore;
    readonly deliveries: DeliveryStore;
    readonly replays: ReplayStore;
  },
  now: Date,
): Promise<boolean> {
  const deleted = await Promise.all([
    deleteExpired(stores.events.collection, now),
    deleteExpired(stores.deliveries.collection, now),
    deleteExpired(stores.replays.collection, now),
  ]);
  return deleted.includes(sweepMax);
}
