import type { Collection, Filter } from "mongodb";
import { attemptDocument, type DeliveryDocument, deliveryKeptMs } from "../documents.ts";
import type { Attempt, Transition } from "../rules/delivery.ts";
import { deadlineAfterPauses, deadlineOf } from "../rules/schedule.ts";
import type { DeliveryStore } from "../store.ts";

/** Maximum attempts in the log of a delivery (webhooks: data). */
const attemptsKept = 20;
/**
 * Duration of a lease. An attempt and its settlement take less time. After a crash, deliveries wait
 * until their leases expire.
 */
export const deliveryLeaseMs = 30_000;
/** Counting stops here, so that a count stays cheap. */
const countMax = 10_000;

/**
 * The outcome of a leased delivery. `attempt` is absent if the delivery ended without a further
 * attempt.
 */
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

/** Returns the total duration of an endpoint's ended pauses in milliseconds. */
export type PausedMs = (endpointId: string) => number;

/** Finds each endpoint's first pending delivery with one index seek. */
const firstPending = [
  { $match: { state: "pending" } },
  { $sort: { endpoint_id: 1, due_at: 1 } },
  { $group: { _id: "$endpoint_id", due_at: { $first: "$due_at" } } },
];

/** The deliveries as workers use them: workers lease and settle deliveries. */
export type WorkStore = ReturnType<typeof openWorkStore>;

export function openWorkStore({ collection: deliveries }: Pick<DeliveryStore, "collection">) {
  return {
    /**
     * Returns the endpoints with due deliveries. Takes one index seek per endpoint, however long
     * its backlog is.
     */
    dueEndpoints: async (now: Date): Promise<DueEndpoint[]> => {
      const isDue = { $match: { due_at: { $lte: now } } };
      const found = await deliveries
        .aggregate<{ _id: string; due_at: Date }>([...firstPending, isDue])
        .toArray();
      return found.map((each) => ({ endpointId: each._id, oldestDueAt: each.due_at }));
    },

    /** Ends the leases of a killed process. The process that calls this has the same place. */
    freeLeases: (place: string, now: Date) => freeLeases(deliveries, place, now),

    dueCount: (endpointIds: readonly string[], now: Date) =>
      deliveries.countDocuments(
        { state: "pending", endpoint_id: { $in: [...endpointIds] }, due_at: { $lte: now } },
        { limit: countMax },
      ),

    /** Returns the next due deliveries of an endpoint, oldest first, without their attempts. */
    due: (endpointId: string, limit: number, now: Date): Promise<DeliveryDocument[]> =>
      deliveries
        .find(
          { state: "pending", endpoint_id: endpointId, due_at: { $lte: now } },
          { projection: { attempts: 0 } },
        )
        .sort({ due_at: 1 })
        .limit(limit)
        .toArray(),

    /** Leases due deliveries. Returns those that no other worker has leased before. */
    take: (due: readonly DeliveryDocument[], lease: Lease, now: Date, pausedMs?: PausedMs) =>
      take(deliveries, due, lease, now, pausedMs),

    /** Ends leases without an attempt. */
    giveBack: async (
      { _id, attempts_count }: Pick<DeliveryDocument, "_id" | "attempts_count">,
      lease: Lease,
      now: Date,
    ): Promise<void> => {
      const leased = { _id, "lease.token": lease.token, attempts_count };
      await deliveries.updateOne(leased, { $set: { lease: null, due_at: now } });
    },

    /** Returns those of the deliveries that are leased under the token. */
    leased: (ids: readonly string[], { token }: Lease): Promise<DeliveryDocument[]> =>
      deliveries
        .find({ _id: { $in: [...ids] }, "lease.token": token }, { projection: { attempts: 0 } })
        .toArray(),

    /**
     * Writes attempts and outcomes of deliveries whose leases still hold. Returns the number of
     * settlements that took effect, now or in an earlier try whose reply was lost.
     */
    settle: async (settlements: readonly Settlement[]): Promise<number> => {
      // Deliveries with the same token and the same number of earlier attempts share one write.
      const groups = Map.groupBy(
        settlements,
        ({ leaseToken, attemptsBefore }) => `${attemptsBefore} ${leaseToken}`,
      );
      const written = await Promise.all(
        [...groups.values()].map((each) => settle(deliveries, each)),
      );
      const count = written.reduce((sum, each) => sum + each, 0);
      // Nearly always, all leases still hold, and no read is needed.
      return count === settlements.length ? count : countSettled(deliveries, settlements);
    },
  };
}

/** Counts settlements that are stored. */
async function countSettled(
  deliveries: Collection<DeliveryDocument>,
  settlements: readonly Settlement[],
): Promise<number> {
  const found = await deliveries
    .find({
      _id: { $in: settlements.map(({ id }) => id) },
      line: { $in: [...new Set(settlements.map(({ line }) => line))] },
    })
    .toArray();
  const byId = new Map(found.map((each) => [each._id, each]));
  return settlements.filter((each) => isSettled(byId.get(each.id), each)).length;
}

/**
 * Returns true if a delivery contains the settlement. The log of attempts shows it even after later
 * attempts. A settlement without an attempt ends the delivery.
 */
function isSettled(delivery: DeliveryDocument | undefined, { attempt, ...ended }: Settlement) {
  if (delivery === undefined) return false;
  if (attempt === undefined) {
    const isSameTime = delivery.updated_at.getTime() === ended.at.getTime();
    return delivery.state === ended.transition.state && isSameTime;
  }
  const startedMs = attempt.startedAt.getTime();
  return delivery.attempts.some(
    ({ number, started_at }) => number === attempt.number && started_at.getTime() === startedMs,
  );
}

/**
 * Returns a delivery with a lease. The first lease sets the delivery's deadline, so a crash can't
 * extend it. A later lease extends the deadline by the pauses since the first.
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

/** Builds a filter that excludes deliveries with an attempt since the read. */
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
  // Deliveries with equal updates share a write. An update by value costs the database a fifth less
  // than one by expression.
  for (const each of Map.groupBy(writes, ({ key }) => key).values()) {
    const [first] = each;
    if (first === undefined) continue;
    // `due_at` also excludes deliveries that have ended, because they are never due.
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

/** Returns the fields that a lease writes, and a key. Deliveries with equal keys share a write. */
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

/**
 * Uses one command for all settlements. With one command each, planning the filter would be most of
 * the cost.
 */
async function settle(
  deliveries: Collection<DeliveryDocument>,
  settlements: readonly Settlement[],
): Promise<number> {
  const [first] = settlements;
  if (first === undefined) return 0;
  const ids = settlements.map(({ id }) => id);
  // MongoDB 6.0 and 7.0 do not accept an expression as the field of `$getField`. The server hashes
  // a constant list, so a lookup costs the same for any number of settlements.
  const index = { $indexOfArray: [{ $literal: ids }, "$_id"] };
  const of = <T>(value: (settlement: Settlement) => T) => ({
    $arrayElemAt: [{ $literal: settlements.map(value) }, index],
  });
  const logged = of(({ attempt }) => (attempt === undefined ? [] : [attemptDocument(attempt)]));
  const attempts = { $slice: [{ $concatArrays: ["$attempts", logged] }, -attemptsKept] };
  const { matchedCount } = await deliveries.updateMany(
    {
      _id: { $in: ids },
      // A router needs this field to find the database shard (docs/explanation/scaling.md).
      line: { $in: [...new Set(settlements.map(({ line }) => line))] },
      // This also excludes deliveries that have ended, because they have no lease.
      "lease.token": first.leaseToken,
      // All leases of a process have the same token. So the count is needed to detect attempts
      // since then.
      attempts_count: first.attemptsBefore,
    },
    [
      { $replaceWith: { $mergeObjects: ["$$ROOT", of(settledFields), { attempts }] } },
      ...(settlements.some(({ transition }) => transition.state === "exhausted") ? [goneMark] : []),
    ],
    // Without a hint, the choice between two indexes would cost as much as a small update.
    { hint: "_id_" },
  );
  return matchedCount;
}

const gone = 410;
const isGone = { $eq: ["$$this.status_code", gone] };
/**
 * Marks an exhausted delivery whose attempts all got status 410. Its log contains every attempt.
 */
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
