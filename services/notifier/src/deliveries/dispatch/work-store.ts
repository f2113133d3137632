import type { Collection, Filter } from "mongodb";
import { attemptDocument, type DeliveryDocument, deliveryKeptMs } from "../documents.ts";
import type { Attempt, Transition } from "../rules/delivery.ts";
import { deadlineAfterPauses, deadlineOf } from "../rules/schedule.ts";
import type { DeliveryStore } from "../store.ts";

/** Maximum attempts in a delivery's log (webhooks: data). */
const attemptsKept = 20;
/** Longer than an attempt and its settlement. After a crash, deliveries wait until it expires. */
export const deliveryLeaseMs = 30_000;
/** Bounds the cost of a count. */
const countMax = 10_000;

/** The outcome of a leased delivery; it has no attempt if the delivery ended before one. */
export type Settlement = {
  readonly id: string;
  readonly leaseToken: string;
  readonly line: string;
  readonly attempt?: Attempt;
  readonly attemptsBefore: number;
  readonly transition: Transition;
  readonly at: Date;
};

export type Lease = { readonly token: string; readonly place: string };

export type DueEndpoint = { readonly endpointId: string; readonly oldestDueAt: Date };

/** Returns the total time of an endpoint's ended pauses, in milliseconds. */
export type PausedMs = (endpointId: string) => number;

/** Finds each endpoint's first pending delivery with one index seek. */
const firstPending = [
  { $match: { state: "pending" } },
  { $sort: { endpoint_id: 1, due_at: 1 } },
  { $group: { _id: "$endpoint_id", due_at: { $first: "$due_at" } } },
];

/** Deliveries for workers, which lease and settle them. */
export type WorkStore = ReturnType<typeof openWorkStore>;

export function openWorkStore({ collection: deliveries }: Pick<DeliveryStore, "collection">) {
  return {
    /** Endpoints with due deliveries. Takes one index seek each, regardless of their backlogs. */
    dueEndpoints: async (now: Date): Promise<DueEndpoint[]> => {
      const isDue = { $match: { due_at: { $lte: now } } };
      const found = await deliveries
        .aggregate<{ _id: string; due_at: Date }>([...firstPending, isDue])
        .toArray();
      return found.map((each) => ({ endpointId: each._id, oldestDueAt: each.due_at }));
    },

    /** Ends leases that a killed process at this place left to its successor. */
    freeLeases: (place: string, now: Date) => freeLeases(deliveries, place, now),

    dueCount: (endpointIds: readonly string[], now: Date) =>
      deliveries.countDocuments(
        { state: "pending", endpoint_id: { $in: [...endpointIds] }, due_at: { $lte: now } },
        { limit: countMax },
      ),

    /** The next due deliveries of an endpoint, oldest first, without their attempts. */
    due: (endpointId: string, limit: number, now: Date): Promise<DeliveryDocument[]> =>
      deliveries
        .find(
          { state: "pending", endpoint_id: endpointId, due_at: { $lte: now } },
          { projection: { attempts: 0 } },
        )
        .sort({ due_at: 1 })
        .limit(limit)
        .toArray(),

    /** Leases due deliveries. Returns those that no other worker leased first. */
    take: (due: readonly DeliveryDocument[], lease: Lease, now: Date, pausedMs?: PausedMs) =>
      take(deliveries, due, lease, now, pausedMs),

    /** Ends a lease without an attempt. */
    giveBack: async (
      { _id, attempts_count }: Pick<DeliveryDocument, "_id" | "attempts_count">,
      lease: Lease,
      now: Date,
    ): Promise<void> => {
      const leased = { _id, "lease.token": lease.token, attempts_count };
      await deliveries.updateOne(leased, { $set: { lease: null, due_at: now } });
    },

    /** Returns the deliveries among these that the token holds. */
    leased: (ids: readonly string[], { token }: Lease): Promise<DeliveryDocument[]> =>
      deliveries
        .find({ _id: { $in: [...ids] }, "lease.token": token }, { projection: { attempts: 0 } })
        .toArray(),

    /** Writes attempts and outcomes if their leases still hold. Returns how many held. */
    settle: async (settlements: readonly Settlement[]): Promise<number> => {
      // One write covers deliveries with the same token and the same number of earlier attempts.
      const groups = Map.groupBy(
        settlements,
        ({ leaseToken, attemptsBefore }) => `${attemptsBefore} ${leaseToken}`,
      );
      const written = await Promise.all(
        [...groups.values()].map((each) => settle(deliveries, each)),
      );
      return written.reduce((sum, count) => sum + count, 0);
    },
  };
}

/**
 * Returns a delivery under a lease. The first lease sets the deadline, so that a crash can't extend
 * it. Later leases extend it by the pauses since.
 */
export function underLease(
  delivery: DeliveryDocument,
  lease: Lease,
  now: Date,
  pausedMs = 0,
): DeliveryDocument {
  const { deadline, paused_ms: then = 0 } = delivery;
  return {
    ...delivery,
    lease: { ...lease },
    due_at: new Date(now.getTime() + deliveryLeaseMs),
    held: false,
    deadline: deadline === null ? deadlineOf(now) : deadlineAfterPauses(deadline, pausedMs, then),
    ...(pausedMs > 0 && { paused_ms: pausedMs }),
  };
}

/** Excludes deliveries that were attempted since the read. */
function asRead(due: readonly DeliveryDocument[]): Filter<DeliveryDocument> {
  const groups = [...Map.groupBy(due, ({ attempts_count }) => attempts_count)];
  return {
    $or: groups.map(([attempts_count, each]) => {
      return { _id: { $in: each.map(({ _id }) => _id) }, attempts_count };
    }),
  };
}

async function take(
  deliveries: Collection<DeliveryDocument>,
  due: readonly DeliveryDocument[],
  lease: Lease,
  now: Date,
  pausedMs: PausedMs = () => 0,
): Promise<DeliveryDocument[]> {
  const leasedUntil = new Date(now.getTime() + deliveryLeaseMs);
  const taken = due.map((each) => underLease(each, lease, now, pausedMs(each.endpoint_id)));
  const writes = taken.map((each, at) => leaseWrite(due[at] ?? each, each));
  let count = 0;
  // Updates by value cost the engine a fifth less than updates by expression.
  for (const each of Map.groupBy(writes, ({ key }) => key).values()) {
    const [first] = each;
    if (first === undefined) continue;
    // Ended deliveries are never due.
    const filter = { ...asRead(each.map(({ read }) => read)), due_at: { $lte: now } };
    const { matchedCount } = await deliveries.updateMany(
      first.isFirst ? { ...filter, deadline: null } : filter,
      { $set: first.set },
    );
    count += matchedCount;
  }
  if (count === due.length) return taken;
  const mineNow = { "lease.token": lease.token, due_at: leasedUntil };
  const found = await deliveries
    .find({ _id: { $in: due.map(({ _id }) => _id) }, ...mineNow }, { projection: { _id: 1 } })
    .toArray();
  const mine = new Set(found.map(({ _id }) => _id));
  return taken.filter(({ _id }) => mine.has(_id));
}

/** Returns the fields that a lease writes. Equal keys mean equal writes. */
function leaseWrite(read: DeliveryDocument, taken: DeliveryDocument) {
  const { lease, due_at, held, deadline, paused_ms } = taken;
  const isFirst = read.deadline === null;
  const isMoved = paused_ms !== read.paused_ms;
  return {
    read,
    isFirst,
    key: isMoved ? `${deadline?.getTime()} ${paused_ms}` : isFirst,
    set: {
      lease,
      due_at,
      held,
      ...((isFirst || isMoved) && { deadline }),
      ...(isMoved && { paused_ms }),
    },
  };
}

async function freeLeases(
  deliveries: Collection<DeliveryDocument>,
  place: string,
  now: Date,
): Promise<void> {
  const pending = await deliveries.aggregate<{ _id: string }>(firstPending).toArray();
  const leased = {
    state: "pending",
    endpoint_id: { $in: pending.map(({ _id }) => _id) },
    due_at: { $gt: now, $lte: new Date(now.getTime() + deliveryLeaseMs) },
    "lease.place": place,
  } as const;
  await deliveries.updateMany(leased, { $set: { lease: null, due_at: now } });
}

/** Uses one command for all, because planning the filter is most of the cost of single updates. */
async function settle(
  deliveries: Collection<DeliveryDocument>,
  settlements: readonly Settlement[],
): Promise<number> {
  const [first] = settlements;
  if (first === undefined) return 0;
  const of = <T>(value: (settlement: Settlement) => T) => ({
    $getField: {
      field: "$_id",
      input: { $literal: Object.fromEntries(settlements.map((each) => [each.id, value(each)])) },
    },
  });
  const logged = of(({ attempt }) => (attempt === undefined ? [] : [attemptDocument(attempt)]));
  const attempts = { $slice: [{ $concatArrays: ["$attempts", logged] }, -attemptsKept] };
  const { matchedCount } = await deliveries.updateMany(
    {
      _id: { $in: settlements.map(({ id }) => id) },
      // Lets a router find the shard (docs/SCALING.md).
      line: { $in: [...new Set(settlements.map(({ line }) => line))] },
      // Ended deliveries have no lease.
      "lease.token": first.leaseToken,
      // All leases of a process have one token; the count detects attempts since.
      attempts_count: first.attemptsBefore,
    },
    [
      { $replaceWith: { $mergeObjects: ["$$ROOT", of(settledFields), { attempts }] } },
      ...(settlements.some(({ transition }) => transition.state === "exhausted") ? [goneMark] : []),
    ],
    // Planning between the two indexes would cost as much as a small update.
    { hint: "_id_" },
  );
  return matchedCount;
}

const gone = 410;
const isGone = { $eq: ["$$this.status_code", gone] };
/** Marks an exhausted delivery that got 410 on every attempt. Its log is complete. */
const goneMark = {
  $set: {
    gone: {
      $cond: [
        {
          $and: [
            { $eq: ["$state", "exhausted"] },
            { $ne: ["$attempts", []] },
            { $allElementsTrue: { $map: { input: "$attempts", in: isGone } } },
          ],
        },
        true,
        "$$REMOVE",
      ],
    },
  },
};

function settledFields({ attempt, transition, at }: Settlement) {
  const next = transition.state === "pending" ? transition.nextAttemptAt : null;
  return {
    state: transition.state,
    next_attempt_at: next,
    due_at: next,
    lease: null,
    updated_at: at,
    ...(attempt === undefined ? {} : { attempts_count: attempt.number }),
    ...(next === null ? { expires_at: new Date(at.getTime() + deliveryKeptMs) } : {}),
  };
}
