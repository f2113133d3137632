import type { Collection, Filter } from "mongodb";
import { type DeliveryDocument, endedUntried, waitingMaxMs } from "./documents.ts";
import type { DeliveryStore } from "./store.ts";

/** Maximum documents in a write, so that other writes aren't delayed. */
const sweepMax = 500;

type Expiring = { _id: string; expires_at?: Date };

async function deleteExpired<T extends Expiring>(
  collection: Collection<T>,
  now: Date,
): Promise<number> {
  const untyped = collection as unknown as Collection<Expiring>;
  const expired = await untyped
    .find({ expires_at: { $lte: now } }, { projection: { _id: 1 } })
    .limit(sweepMax)
    .toArray();
  if (expired.length === 0) return 0;
  const ids = expired.map(({ _id }) => _id);
  await untyped.deleteMany({ _id: { $in: ids }, expires_at: { $lte: now } });
  return ids.length;
}

/** Marks the oldest matching deliveries as exhausted. Finds them with their own index. */
async function exhaust(
  deliveries: Collection<DeliveryDocument>,
  index: "untried" | "tried",
  filter: Filter<DeliveryDocument>,
  now: Date,
): Promise<number> {
  const found = await deliveries
    .find(filter, { projection: { _id: 1 }, hint: index })
    .sort({ [index === "untried" ? "created_at" : "deadline"]: 1 })
    .limit(sweepMax)
    .toArray();
  if (found.length === 0) return 0;
  await deliveries.updateMany(
    { ...filter, _id: { $in: found.map(({ _id }) => _id) } },
    { $set: endedUntried("exhausted", now), $unset: { recheck_at: 1 } },
  );
  return found.length;
}

/**
 * Deletes expired documents and marks overdue deliveries as exhausted. Returns true if more remain.
 */
export async function sweepExpired<E extends Expiring, R extends Expiring>(
  stores: {
    readonly events: { readonly collection: Collection<E> };
    readonly deliveries: DeliveryStore;
    readonly replays: { readonly collection: Collection<R> };
  },
  now: Date,
): Promise<boolean> {
  const deliveries = stores.deliveries.collection;
  const before = (ms: number) => ({ $lte: new Date(now.getTime() - ms) });
  // Selects deliveries of endpoints that are paused or not verified. Workers end all other
  // deliveries in time.
  const untried = { state: "pending", deadline: null, created_at: before(waitingMaxMs) } as const;
  const tried = { attempts_count: { $gte: 1 }, deadline: before(waitingMaxMs) };
  const swept = await Promise.all([
    exhaust(deliveries, "untried", untried, now),
    exhaust(deliveries, "tried", { state: "pending", ...tried }, now),
    deleteExpired(stores.events.collection, now),
    deleteExpired(deliveries, now),
    deleteExpired(stores.replays.collection, now),
  ]);
  return swept.includes(sweepMax);
}
