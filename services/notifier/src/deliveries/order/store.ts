import type { AnyBulkWriteOperation, Collection } from "mongodb";
import { type DeliveryDocument, deliveryKeptMs, waiting } from "../documents.ts";
import {
  givesUpAt,
  heldUntil,
  isGivenUp,
  type OrderedDelivery,
  orderWaitMs,
  recheckAt,
  withoutBound,
} from "../rules/order.ts";
import type { DeliveryStore } from "../store.ts";
import { createRecentEvents, type EventNumber, numberKey } from "./recent-events.ts";

/** The endpoints of a stored event, and its time of arrival. */
export type Arrived = { readonly endpoint_ids: readonly string[]; readonly received_at: Date };

/** Finds the stored events with these numbers. The result is keyed by `numberKey`. */
type Arrivals = {
  arrived(numbers: readonly EventNumber[]): Promise<ReadonlyMap<string, Arrived>>;
};

const memberFields = [
  ...(["merchant_id", "endpoint_id", "transaction_type", "transaction_id", "sequence"] as const),
  ...(["line", "state", "order", "held", "attempts_count", "due_at", "created_at"] as const),
];
const memberProjection = Object.fromEntries(memberFields.map((field) => [field, 1]));

/** The fields of a delivery that the order depends on. */
type Member = Pick<DeliveryDocument, "_id" | (typeof memberFields)[number]>;

/**
 * Maximum waits without a time limit that are rechecked at once. The others follow seconds later.
 */
const recheckMax = 200;
/**
 * Maximum held deliveries of a crashed process that are released at once. The others wait until
 * their time limit.
 */
const leftMax = 1_000;

/** Holds and releases deliveries so that events keep their order. */
export type OrderStore = ReturnType<typeof openOrderStore>;

/**
 * Releases held deliveries that need not wait any longer. This runs after each insert and after
 * each settlement. So whichever of two concurrent writes finishes last sees the other. If a crash
 * prevents the release, the delivery waits until its time limit or its next recheck.
 */
export function openOrderStore(
  { collection: deliveries }: Pick<DeliveryStore, "collection">,
  events: Arrivals,
) {
  const recent = createRecentEvents();

  /**
   * Updates the waits and returns the deliveries that may start. If `givesUp` is true, these
   * include deliveries whose predecessor never arrived.
   */
  const decide = async (lines: readonly string[], now: Date, givesUp: boolean) => {
    const held = await keysWithHeld(deliveries, lines);
    if (held.length === 0) return [];
    const members = await membersOf(deliveries, held);
    const waits = await waitsOf(members, members, events, givesUp ? now : undefined);
    const writes = waits.flatMap(({ member, until }) =>
      isKept(member, until) ? [] : [moved(member, until, now)],
    );
    if (writes.length > 0) await deliveries.bulkWrite(writes, { ordered: false });
    return waits.filter(({ until }) => until === undefined);
  };

  /**
   * Releases deliveries under these ordering keys. Returns the endpoints that now have a due
   * delivery.
   */
  const release = async (lines: readonly string[], now: Date): Promise<ReadonlySet<string>> =>
    endpointsOf(await decide(lines, now, false));

  return {
    release,

    stored: recent.stored,
    ended: recent.ended,

    /**
     * Returns the deliveries to insert. A delivery is held if an earlier one is pending. If an
     * earlier one is inserted later, `release` handles it.
     */
    placed: async (all: readonly DeliveryDocument[]): Promise<readonly DeliveryDocument[]> => {
      const placed = all.map((each) => (each.held && recent.isNext(each) ? unheld(each) : each));
      const held = placed.filter((delivery) => delivery.held);
      if (held.length === 0) return placed;
      const stored = await membersOf(deliveries, [...new Set(held.map(({ line }) => line))]);
      const there = new Set(stored.map(({ _id }) => _id));
      const members = [...stored, ...placed.filter(({ _id }) => !there.has(_id))];
      const waits = await waitsOf(held, members, events);
      const untils = new Map(waits.map(({ member, until }) => [member._id, until]));
      return placed.map((delivery) => {
        if (!delivery.held) return delivery;
        const free = unheld(delivery);
        const until = untils.get(delivery._id);
        return until === undefined ? free : { ...free, ...waiting(until, delivery.created_at) };
      });
    },

    /** Releases deliveries that a crashed process should have released. */
    releaseLeft: async (now: Date): Promise<ReadonlySet<string>> => {
      const left = await deliveries
        .find({ held: true }, { projection: { _id: 0, line: 1 }, hint: "held" })
        .limit(leftMax)
        .toArray();
      return release([...new Set(left.map(({ line }) => line))], now);
    },

    /**
     * Rechecks waits that have no time limit. Deliveries in `givenUp` start without their
     * predecessor.
     */
    recheck: async (now: Date) => {
      const found = await dueForRecheck(deliveries, now);
      if (found.length === 0) return { freed: new Set<string>(), givenUp: [], hasMore: false };
      const free = await decide([...new Set(found.map(({ line }) => line))], now, true);
      await scheduleRecheck(deliveries, found, now);
      const givenUp = free.filter((each) => each.isGivenUp).map(({ member }) => member._id);
      return { freed: endpointsOf(free), givenUp, hasMore: found.length === recheckMax };
    },
  };
}

/**
 * Returns true if a delivery's wait needs no update. A wait that began after a pause keeps its own
 * time limit.
 */
function isKept({ due_at, created_at }: Member, until: Date | undefined): boolean {
  if (until === undefined || due_at === null) return false;
  const isAnew = due_at.getTime() - created_at.getTime() > orderWaitMs && due_at < withoutBound;
  return until.getTime() === due_at.getTime() || (isAnew && until < withoutBound);
}

function unheld({ recheck_at: _none, ...delivery }: DeliveryDocument): DeliveryDocument {
  const due = delivery.created_at;
  return { ...delivery, held: false, due_at: due, next_attempt_at: due };
}

type Waiter = Pick<DeliveryDocument, "_id" | "line" | "created_at" | "transaction_type">;

/** Returns deliveries whose wait has no time limit and is due for a recheck, oldest first. */
function dueForRecheck(deliveries: Collection<DeliveryDocument>, now: Date): Promise<Waiter[]> {
  return deliveries
    .find<Waiter>(
      { recheck_at: { $lte: now } },
      { projection: { line: 1, created_at: 1, transaction_type: 1 } },
    )
    .sort({ recheck_at: 1 })
    .limit(recheckMax)
    .toArray();
}

/** Schedules the next recheck of deliveries that continue to wait. */
async function scheduleRecheck(
  deliveries: Collection<DeliveryDocument>,
  waiters: readonly Waiter[],
  now: Date,
): Promise<void> {
  const next = waiters.map(({ _id, created_at, transaction_type }) => ({
    updateOne: {
      filter: { _id },
      update: {
        $set: { recheck_at: recheckAt(created_at, now, givesUpAt(created_at, transaction_type)) },
      },
    },
  }));
  await deliveries.bulkWrite(next, { ordered: false });
  const ids = waiters.map(({ _id }) => _id);
  await deliveries.updateMany({ _id: { $in: ids }, held: false }, { $unset: { recheck_at: 1 } });
}

function endpointsOf(waits: readonly Wait[]): ReadonlySet<string> {
  return new Set(waits.map(({ member }) => member.endpoint_id));
}

/**
 * Returns those of the ordering keys that have a held delivery. Held deliveries are few and have
 * their own index.
 */
async function keysWithHeld(
  deliveries: Collection<DeliveryDocument>,
  lines: readonly string[],
): Promise<string[]> {
  const found = await deliveries
    .find(
      { line: { $in: [...lines] }, held: true },
      { projection: { _id: 0, line: 1 }, hint: "held" },
    )
    .toArray();
  return [...new Set(found.map(({ line }) => line))];
}

function membersOf(
  deliveries: Collection<DeliveryDocument>,
  lines: readonly string[],
): Promise<Member[]> {
  return deliveries
    .find<Member>({ line: { $in: [...lines] }, replay: 0 }, { projection: memberProjection })
    .toArray();
}

/** A held delivery and the end of its wait. `undefined` means that the wait is over. */
type Wait = {
  readonly member: Member;
  readonly until: Date | undefined;
  readonly isGivenUp: boolean;
};

/**
 * Computes the wait of each held delivery from all deliveries under its ordering key. If `now` is
 * given, a delivery that has waited long enough stops waiting.
 */
async function waitsOf(
  some: readonly Member[],
  all: readonly Member[],
  events: Arrivals,
  now?: Date,
): Promise<Wait[]> {
  const lines = Map.groupBy(all, ({ line }) => line);
  const waiters = some.filter((member) => member.held);
  const withoutNext = waiters.filter((member) => !hasPreviousNumber(member, lines));
  const arrived = await events.arrived(withoutNext.map(previousNumber));
  return waiters.map((member) => {
    const line = (lines.get(member.line) ?? []).map(orderedDelivery);
    const previousArrived =
      hasPreviousNumber(member, lines) ||
      hasArrived(arrived.get(numberKey(previousNumber(member))), member);
    const waiter = { ...orderedDelivery(member), order: member.order ?? "bounded" };
    const type = member.transaction_type;
    const until = heldUntil(waiter, line, type, previousArrived);
    const mayGiveUp = now !== undefined && until !== undefined;
    const givesUp = mayGiveUp && isGivenUp(waiter, line, type, now);
    return { member, until: givesUp ? undefined : until, isGivenUp: givesUp };
  });
}

function hasPreviousNumber(member: Member, lines: ReadonlyMap<string, readonly Member[]>): boolean {
  const line = lines.get(member.line) ?? [];
  return line.some(({ sequence }) => sequence === member.sequence - 1);
}

/**
 * Returns true if the previous event was stored and has no delivery to this endpoint, or none that
 * is still stored.
 */
function hasArrived(previous: Arrived | undefined, member: Member): boolean {
  if (previous === undefined) return false;
  const age = member.created_at.getTime() - previous.received_at.getTime();
  return age >= deliveryKeptMs || !previous.endpoint_ids.includes(member.endpoint_id);
}

function previousNumber({ merchant_id, transaction_type, transaction_id, sequence }: Member) {
  return { merchant_id, transaction_type, transaction_id, sequence: sequence - 1 };
}

function orderedDelivery(member: Member): OrderedDelivery {
  return {
    id: member._id,
    sequence: member.sequence,
    state: member.state,
    attempts: member.attempts_count,
    createdAt: member.created_at,
  };
}

/** Moves the end of a delivery's wait, or makes the delivery due now. */
function moved(
  member: Member,
  until: Date | undefined,
  now: Date,
): AnyBulkWriteOperation<DeliveryDocument> {
  const free = { held: false, due_at: now, next_attempt_at: now };
  const isUnbound = until !== undefined && until >= withoutBound;
  return {
    updateOne: {
      filter: { _id: member._id, held: true },
      update: {
        $set: until === undefined ? free : waiting(until, now),
        ...(isUnbound ? {} : { $unset: { recheck_at: 1 } }),
      },
    },
  };
}
