import type { AnyBulkWriteOperation, Collection } from "mongodb";
import type { Attempt, Fate } from "../domain/delivery.ts";
import { horizonMs } from "../domain/schedule.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { attemptDocument, type DeliveryDocument, deliveryKeptMs } from "./documents.ts";

/** Attempts kept in a delivery's log (webhooks: data). */
const attemptsKept = 20;
/** Longer than an attempt and its settling; as short as it can be, for a crash costs its wait. */
export const leaseMs = 30_000;
/** A count that goes further would cost more than it tells. */
const countMax = 10_000;

/** What becomes of a leased delivery; without an attempt when there was nothing to try. */
export type Settlement = {
  readonly id: string;
  readonly leaseToken: string;
  readonly line: string;
  readonly attempt?: Attempt;
  readonly fate: Fate;
  readonly at: Date;
};

export type DueEndpoint = { readonly endpointId: string; readonly oldestDueAt: Date };

/** What each endpoint has first to send: a seek of the index for each. */
const firstPending = [
  { $match: { state: "pending" } },
  { $sort: { state: 1, endpoint_id: 1, due_at: 1 } },
  { $group: { _id: "$endpoint_id", due_at: { $first: "$due_at" } } },
];

export type WorkStore = ReturnType<typeof openWorkStore>;

/** Deliveries as workers see them: due, leased, settled. */
export function openWorkStore(
  { collection: deliveries }: Pick<DeliveryStore, "collection">,
  place: string,
) {
  return {
    /** Endpoints with something due, by id. Costs a seek each, however much each of them has. */
    dueEndpoints: async (now: Date): Promise<DueEndpoint[]> => {
      const isDue = [{ $match: { due_at: { $lte: now } } }, { $sort: { _id: 1 } }];
      const found = await deliveries
        .aggregate<{ _id: string; due_at: Date }>([...firstPending, ...isDue])
        .toArray();
      return found.map((each) => ({ endpointId: each._id, oldestDueAt: each.due_at }));
    },

    freeLeases: (now: Date) => freeLeases(deliveries, place, now),

    dueCount: (now: Date) =>
      deliveries.countDocuments({ state: "pending", due_at: { $lte: now } }, { limit: countMax }),

    /**
     * Takes due deliveries under a lease: whoever else found them due takes nothing. The deadline
     * begins with the first claim, before anything is sent, so that a crash cannot extend it.
     */
    claim: async (
      shares: ReadonlyMap<string, number>,
      leaseToken: string,
      now: Date,
    ): Promise<DeliveryDocument[]> => {
      const found = await Promise.all(
        [...shares].map(([endpointId, share]) => dueIds(deliveries, endpointId, share, now)),
      );
      const ids = found.flat();
      if (ids.length === 0) return [];
      const deadline = new Date(now.getTime() + horizonMs);
      await deliveries.updateMany({ _id: { $in: ids }, state: "pending", due_at: { $lte: now } }, [
        {
          $set: {
            lease: { token: leaseToken, place },
            due_at: new Date(now.getTime() + leaseMs),
            held: false,
            deadline: { $ifNull: ["$deadline", deadline] },
          },
        },
      ]);
      return deliveries
        .find({ _id: { $in: ids }, "lease.token": leaseToken }, { projection: { attempts: 0 } })
        .toArray();
    },

    /** Writes attempts and what follows from them, each in one write, if the lease still holds. */
    settle: async (settlements: readonly Settlement[]): Promise<number> => {
      const writes = settlements.map(settlingWrite);
      const { matchedCount } = await deliveries.bulkWrite(writes, { ordered: false });
      return matchedCount;
    },
  };
}

/**
 * Ends the leases that a killed process of this place left: whoever starts there is its successor,
 * and need not wait for their end.
 */
async function freeLeases(
  deliveries: Collection<DeliveryDocument>,
  place: string,
  now: Date,
): Promise<void> {
  const waiting = await deliveries.aggregate<{ _id: string }>(firstPending).toArray();
  const leased = {
    state: "pending",
    endpoint_id: { $in: waiting.map(({ _id }) => _id) },
    due_at: { $gt: now, $lte: new Date(now.getTime() + leaseMs) },
    "lease.place": place,
  } as const;
  await deliveries.updateMany(leased, { $set: { lease: null, due_at: now } });
}

/** The next due deliveries of an endpoint, oldest first. */
async function dueIds(
  deliveries: Collection<DeliveryDocument>,
  endpointId: string,
  limit: number,
  now: Date,
): Promise<string[]> {
  const due = await deliveries
    .find(
      { state: "pending", endpoint_id: endpointId, due_at: { $lte: now } },
      { projection: { _id: 1 } },
    )
    .sort({ due_at: 1 })
    .limit(limit)
    .toArray();
  return due.map(({ _id }) => _id);
}

function settlingWrite(settlement: Settlement): AnyBulkWriteOperation<DeliveryDocument> {
  const { id, leaseToken, attempt, fate, at } = settlement;
  const next = fate.state === "pending" ? fate.nextAttemptAt : null;
  const expiry = new Date(at.getTime() + deliveryKeptMs);
  return {
    updateOne: {
      filter: { _id: id, state: "pending", "lease.token": leaseToken },
      update: {
        $set: {
          state: fate.state,
          next_attempt_at: next,
          due_at: next,
          lease: null,
          updated_at: at,
          ...(attempt === undefined ? {} : { attempts_count: attempt.number }),
          ...(next === null ? { expires_at: expiry } : {}),
        },
        ...(attempt === undefined
          ? {}
          : { $push: { attempts: { $each: [attemptDocument(attempt)], $slice: -attemptsKept } } }),
      },
    },
  };
}
