import type { Collection, Filter } from "mongodb";
import { attemptDocument, type DeliveryDocument, deliveryKeptMs } from "../documents.ts";
import type { Attempt, Transition } from "../rules/delivery.ts";
import { deadlineAfterPauses, deadlineOf } from "../rules/schedule.ts";
import type { DeliveryStore } from "../store.ts";

/** Attempts kept in a delivery's log (webhooks: data). */
const attemptsKept = 20;
/** Longer than an attempt and its settlement; after a crash deliveries wait for its end. */
export const deliveryLeaseMs = 30_000;
/** Bounds the cost of a count. */
const countMax = 10_000;

/** The outcome of a leased delivery; without an attempt where it ended before one. */
export type Settlement = {
  readonly id: string;
  readonly leaseToken: string;
  readonly line: string;
  readonly attempt?: Attempt;
  readonly attemptsBefore: number;
  readonly transition: Transition;
  readonly at: Date;
};

/** A process's token, and its place. */
export type Lease = { readonly token: string; readonly place: string };

/** An endpoint with due deliveries. */
export type DueEndpoint = { readonly endpointId: string; readonly oldestDueAt: Date };

/** All pauses of an endpoint that have ended, in milliseconds. */
export type PausedMs = (endpointId: string) => number;

/** The first pending delivery of each endpoint: one index seek each. */
const firstPending = [
  { $match: { state: "pending" } },
  { $sort: { endpoint_id: 1, due_at: 1 } },
  { $group: { _id: "$endpoint_id", due_at: { $first: "$due_at" } } },
];

/** Deliveries as workers see them: due, leased, settled. */
export type WorkStore = ReturnType<typeof openWorkStore>;

/** Opens the store of workers on the deliveries. */
export function openWorkStore({ collection: deliveries }: Pick<DeliveryStore, "collection">) {
  return {
    /** Endpoints with due deliveries; one index seek each, however long their backlogs. */
    dueEndpoints: async (now: Date): Promise<DueEndpoint[]> => {
      const isDue = { $match: { due_at: { $lte: now } } };
      const found = await deliveries
        .aggregate<{ _id: string; due_at: Date }>([...firstPending, isDue])
        .toArray();
      return found.map((each) => ({ endpointId: each._id, oldestDueAt: each.due_at }));
    },

    /** Ends the leases that a killed process at this place left to its successor. */
    freeLeases: (place: string, now: Date) => freeLeases(deliveries, place, now),

    /** How many deliveries of these endpoints are due. */
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

    /** Leases due deliveries; answers those that no other worker leased first. */
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

    /** The deliveries among these that the token holds. */
    leased: (ids: readonly string[], { token }: Lease): Promise<DeliveryDocument[]> =>
      deliveries
        .find({ _id: { $in: [...ids] }, "lease.token": token }, { projection: { attempts: 0 } })
        .toArray(),

    /** Writes attempts and their outcomes where the lease still holds; answers how many held. */
    settle: async (settlements: readonly Settlement[]): Promise<number> => {
      // One write guards one token and one number of attempts before.
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
 * A delivery under a lease. The first one sets the deadline, so that a crash cannot extend it; a
 * later one moves it by the pauses since.
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

/** Excludes deliveries with an attempt since they were read. */
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
  // Updates by value cost the engine a fifth less than one by expression.
  for (const each of Map.groupBy(writes, ({ key }) => key).values()) {
    const [first] = each;
    if (first === undefined) continue;
    // What has ended is never due.
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

/** What a lease writes; those with the same key write the same. */
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

/** One command for all: planning the guard is most of the cost of single updates. */
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
  const made = of(({ attempt }) => (attempt === undefined ? [] : [attemptDocument(attempt)]));
  const attempts = { $slice: [{ $concatArrays: ["$attempts", made] }, -attemptsKept] };
  const { matchedCount } = await deliveries.updateMany(
    {
      _id: { $in: settlements.map(({ id }) => id) },
      // For a router to find its shard by (docs/SCALING.md).
      line: { $in: [...new Set(settlements.map(({ line }) => line))] },
      // What has ended has no lease.
      "lease.token": first.leaseToken,
      // A process has one token for all its leases; the count shows attempts since.
      attempts_count: first.attemptsBefore,
    },
    [
      { $replaceWith: { $mergeObjects: ["$$ROOT", of(settledFields), { attempts }] } },
      ...(settlements.some(({ transition }) => transition.state === "exhausted") ? [goneMark] : []),
    ],
    // Planning between the two would cost as much as a small update.
    { hint: "_id_" },
  );
  return matchedCount;
}

const gone = 410;
const isGone = { $eq: ["$$this.status_code", gone] };
/** Marks what is exhausted, and got 410 on every attempt: the log has them all. */
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
