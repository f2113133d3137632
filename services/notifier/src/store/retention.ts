import type { Collection } from "mongodb";
import type { DeliveryStore } from "./delivery-store.ts";
import { type DeliveryDocument, endedUntried, untriedMs } from "./documents.ts";
import type { EventStore } from "./event-store.ts";
import type { ReplayStore } from "./replay-store.ts";

/** One write stays short, so that it holds up nobody. */
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

/**
 * Gives up what nobody has tried since it was made: its endpoint is paused, or was never verified.
 * Whoever leases one of them first sets its deadline, and keeps it.
 */
async function exhaustUntried(
  deliveries: Collection<DeliveryDocument>,
  now: Date,
): Promise<number> {
  const untried = { state: "pending", deadline: null } as const;
  const found = await deliveries
    .find(
      { ...untried, created_at: { $lte: new Date(now.getTime() - untriedMs) } },
      { projection: { _id: 1 }, hint: "untried" },
    )
    .sort({ created_at: 1 })
    .limit(sweepMax)
    .toArray();
  if (found.length === 0) return 0;
  const ids = found.map(({ _id }) => _id);
  await deliveries.updateMany(
    { ...untried, _id: { $in: ids } },
    { $set: endedUntried("exhausted", now), $unset: { recheck_at: 1 } },
  );
  return ids.length;
}

/** Deletes and ends what is past its time; answers whether there may be more. */
export async function sweepExpired(
  stores: {
    readonly events: EventStore;
    readonly deliveries: DeliveryStore;
    readonly replays: ReplayStore;
  },
  now: Date,
): Promise<boolean> {
  const swept = await Promise.all([
    exhaustUntried(stores.deliveries.collection, now),
    deleteExpired(stores.events.collection, now),
    deleteExpired(stores.deliveries.collection, now),
    deleteExpired(stores.replays.collection, now),
  ]);
  return swept.includes(sweepMax);
}
