import type { Collection, Filter } from "mongodb";
import { type DeliveryDocument, endedUntried, untriedMs } from "./documents.ts";
import type { DeliveryStore } from "./store.ts";

/** One write stays short, so that it holds up nobody. */
const sweepMax = 500;
/** An attempt takes 15 s, and its settling less than its lease. */
const settledMs = 3_600_000;

/** What is deleted when its time is over. */
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

/**
 * Gives up what nobody has tried since it was made: its endpoint is paused, or was never verified.
 * Whoever leases one of them first sets its deadline, and keeps it.
 */
function exhaustUntried(deliveries: Collection<DeliveryDocument>, now: Date): Promise<number> {
  const madeBy = new Date(now.getTime() - untriedMs);
  return exhaust(
    deliveries,
    { state: "pending", deadline: null, created_at: { $lte: madeBy } },
    { index: "untried", by: "created_at", now },
  );
}

/**
 * Gives up what was tried, and was still to be tried again when its time was over: its endpoint is
 * paused. What was being sent just then has been settled long ago, for nothing takes so long.
 */
function exhaustOverdue(deliveries: Collection<DeliveryDocument>, now: Date): Promise<number> {
  const endedBy = new Date(now.getTime() - settledMs);
  return exhaust(
    deliveries,
    { state: "pending", attempts_count: { $gte: 1 }, deadline: { $lte: endedBy } },
    { index: "tried", by: "deadline", now },
  );
}

type Sweep = {
  readonly index: string;
  readonly by: "created_at" | "deadline";
  readonly now: Date;
};

async function exhaust(
  deliveries: Collection<DeliveryDocument>,
  filter: Filter<DeliveryDocument>,
  { index, by, now }: Sweep,
): Promise<number> {
  const found = await deliveries
    .find(filter, { projection: { _id: 1 }, hint: index })
    .sort({ [by]: 1 })
    .limit(sweepMax)
    .toArray();
  if (found.length === 0) return 0;
  await deliveries.updateMany(
    { ...filter, _id: { $in: found.map(({ _id }) => _id) } },
    { $set: endedUntried("exhausted", now), $unset: { recheck_at: 1 } },
  );
  return found.length;
}

/** Deletes and ends what is past its time; answers whether there may be more. */
export async function sweepExpired<E extends Expiring, R extends Expiring>(
  stores: {
    readonly events: { readonly collection: Collection<E> };
    readonly deliveries: DeliveryStore;
    readonly replays: { readonly collection: Collection<R> };
  },
  now: Date,
): Promise<boolean> {
  const swept = await Promise.all([
    exhaustUntried(stores.deliveries.collection, now),
    exhaustOverdue(stores.deliveries.collection, now),
    deleteExpired(stores.events.collection, now),
    deleteExpired(stores.deliveries.collection, now),
    deleteExpired(stores.replays.collection, now),
  ]);
  return swept.includes(sweepMax);
}
