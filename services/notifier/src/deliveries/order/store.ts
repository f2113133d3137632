import type { AnyBulkWriteOperation, Collection } from "mongodb";
import { type DeliveryDocument, deliveryKeptMs, waiting } from "../documents.ts";
import {
  givesUpAt,
  heldUntil,
  isGivenUp,
  type OrderedDelivery,
  recheckAt,
  withoutBound,
} from "../rules/order.ts";
import type { DeliveryStore } from "../store.ts";

/** One event of a transaction, by its number. */
export type EventNumber = {
  readonly merchantId: string;
  readonly transactionType: string;
  readonly transactionId: string;
  readonly sequence: number;
};

/** To whom an event goes that has arrived, and when it did. */
export type Arrived = { readonly endpoint_ids: readonly string[]; readonly received_at: Date };

/** Events that have arrived, as the order of deliveries needs them. */
export type Arrivals = {
  /** Those of these numbers that have arrived, by what `numberKey` writes. */
  arrived(numbers: readonly EventNumber[]): Promise<ReadonlyMap<string, Arrived>>;
};

const memberFields = {
  merchant_id: 1,
  endpoint_id: 1,
  transaction_type: 1,
  transaction_id: 1,
  sequence: 1,
  line: 1,
  state: 1,
  order: 1,
  held: 1,
  attempts_count: 1,
  due_at: 1,
  created_at: 1,
} as const;

/** What the order of a line is decided from. */
type Member = Pick<DeliveryDocument, "_id" | keyof typeof memberFields>;

/** One look at those that wait without bound; the rest has its turn seconds later. */
const lookMax = 200;
/** Of those that wait with a bound; the rest waits until then. */
const leftMax = 1_000;

export type OrderStore = ReturnType<typeof openOrderStore>;

/**
 * Lets go what waits for nothing any more. Called after deliveries were inserted and after others
 * were settled: whichever of the two happens last sees the other's write. A call that a crash
 * swallows costs the wait that stands in the delivery itself, or its next look.
 */
export function openOrderStore(
  { collection: deliveries }: Pick<DeliveryStore, "collection">,
  events: Arrivals,
) {
  /** What waits no longer; `givesUp` where what was waited for too long never comes. */
  const decide = async (lines: readonly string[], now: Date, givesUp: boolean) => {
    const held = await keysWithHeld(deliveries, lines);
    if (held.length === 0) return [];
    const members = await membersOf(deliveries, held);
    const waits = await waitsOf(members, members, events, givesUp ? now : undefined);
    const writes = waits.flatMap(({ member, until }) =>
      until?.getTime() === member.due_at?.getTime() ? [] : [moved(member, until, now)],
    );
    if (writes.length > 0) await deliveries.bulkWrite(writes, { ordered: false });
    return waits.filter(({ until }) => until === undefined);
  };

  /** The endpoints that have something to send now. */
  const release = async (lines: readonly string[], now: Date): Promise<ReadonlySet<string>> =>
    endpointsOf(await decide(lines, now, false));

  return {
    release,

    /**
     * Deliveries as they are to be inserted: those that are made waiting, though nothing holds them
     * up, wait for nothing. Whatever comes into their line meanwhile is seen by `release`.
     */
    placed: async (made: readonly DeliveryDocument[]): Promise<readonly DeliveryDocument[]> => {
      const held = made.filter((delivery) => delivery.held);
      if (held.length === 0) return made;
      const stored = await membersOf(deliveries, [...new Set(held.map(({ line }) => line))]);
      const there = new Set(stored.map(({ _id }) => _id));
      const all = [...stored, ...made.filter(({ _id }) => !there.has(_id))];
      const waits = await waitsOf(held, all, events);
      const untils = new Map(waits.map(({ member, until }) => [member._id, until]));
      return made.map((delivery) => {
        if (!delivery.held) return delivery;
        const { recheck_at: _none, ...free } = delivery;
        const until = untils.get(delivery._id);
        if (until !== undefined) return { ...free, ...waiting(until, delivery.created_at) };
        const due = delivery.created_at;
        return { ...free, held: false, due_at: due, next_attempt_at: due };
      });
    },

    /** Lets go what a process that died would have, had it lived a moment longer. */
    releaseLeft: async (now: Date): Promise<ReadonlySet<string>> => {
      const left = await deliveries
        .find({ held: true }, { projection: { _id: 0, line: 1 }, hint: "held" })
        .limit(leftMax)
        .toArray();
      return release([...new Set(left.map(({ line }) => line))], now);
    },

    /**
     * Looks again at those that wait without bound: their wake-up may have been lost, or what they
     * wait for may never come; `givenUp` are those deliveries that go without it.
     */
    recheck: async (now: Date): Promise<Rechecked> => {
      const found = await dueForRecheck(deliveries, now);
      if (found.length === 0) return { freed: new Set(), givenUp: [], hasMore: false };
      const free = await decide([...new Set(found.map(({ line }) => line))], now, true);
      await rechecked(deliveries, found, now);
      const givenUp = free.filter((each) => each.isGivenUp).map(({ member }) => member._id);
      return { freed: endpointsOf(free), givenUp, hasMore: found.length === lookMax };
    },
  };
}

type Waiter = Pick<DeliveryDocument, "_id" | "line" | "created_at" | "transaction_type">;

/** Those that wait without bound whose turn it is, the longest waiting first. */
function dueForRecheck(deliveries: Collection<DeliveryDocument>, now: Date): Promise<Waiter[]> {
  return deliveries
    .find<Waiter>(
      { recheck_at: { $lte: now } },
      { projection: { line: 1, created_at: 1, transaction_type: 1 } },
    )
    .sort({ recheck_at: 1 })
    .limit(lookMax)
    .toArray();
}

/** Those that wait on are looked at later once more. */
async function rechecked(
  deliveries: Collection<DeliveryDocument>,
  waiters: readonly Waiter[],
  now: Date,
): Promise<void> {
  const next = waiters.map((each) => ({
    updateOne: {
      filter: { _id: each._id, held: true },
      update: { $set: { recheck_at: nextRecheck(each, now) } },
    },
  }));
  await deliveries.bulkWrite(next, { ordered: false });
  const ids = waiters.map(({ _id }) => _id);
  await deliveries.updateMany({ _id: { $in: ids }, held: false }, { $unset: { recheck_at: 1 } });
}

/** What a look has changed, and whether there are more to look at. */
type Rechecked = {
  readonly freed: ReadonlySet<string>;
  readonly givenUp: readonly string[];
  readonly hasMore: boolean;
};

function endpointsOf(waits: readonly Wait[]): ReadonlySet<string> {
  return new Set(waits.map(({ member }) => member.endpoint_id));
}

function nextRecheck(waiter: Waiter, now: Date): Date {
  const { created_at: createdAt, transaction_type: transactionType } = waiter;
  return recheckAt(createdAt, now, givesUpAt(createdAt, transactionType));
}

/** Those among lines in which somebody waits: few, and in an index of their own. */
async function keysWithHeld(
  deliveries: Collection<DeliveryDocument>,
  lines: readonly string[],
): Promise<string[]> {
  if (lines.length === 0) return [];
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
    .find<Member>({ line: { $in: [...lines] }, replay: 0 }, { projection: memberFields })
    .toArray();
}

/** Until when a member waits: for nothing any more where there is no such moment. */
type Wait = {
  readonly member: Member;
  readonly until: Date | undefined;
  readonly isGivenUp: boolean;
};

/** How each of those that wait does so, given all of their lines; at `now` some give up. */
async function waitsOf(
  some: readonly Member[],
  all: readonly Member[],
  events: Arrivals,
  now?: Date,
): Promise<Wait[]> {
  const lines = Map.groupBy(all, ({ line }) => line);
  const waiters = some.filter((member) => member.held && member.state === "pending");
  const withoutNext = waiters.filter((member) => !hasNumberBefore(member, lines));
  const arrived = await events.arrived(withoutNext.map(numberBefore));
  return waiters.map((member) => {
    const line = (lines.get(member.line) ?? []).map(orderedDelivery);
    const isBefore =
      hasNumberBefore(member, lines) ||
      hasCome(arrived.get(numberKey(numberBefore(member))), member);
    const waiter = { ...orderedDelivery(member), order: member.order ?? "bounded" };
    const type = member.transaction_type;
    const until = heldUntil(waiter, line, type, isBefore);
    const mayGiveUp = now !== undefined && until !== undefined;
    const givesUp = mayGiveUp && isGivenUp(waiter, line, type, now);
    return { member, until: givesUp ? undefined : until, isGivenUp: givesUp };
  });
}

function hasNumberBefore(member: Member, lines: ReadonlyMap<string, readonly Member[]>): boolean {
  const line = lines.get(member.line) ?? [];
  return line.some(({ sequence }) => sequence === member.sequence - 1);
}

/**
 * Whether nothing more is to come of the event before: it goes elsewhere, or came so long ago that
 * its delivery is deleted. Else its delivery is about to be inserted.
 */
function hasCome(before: Arrived | undefined, member: Member): boolean {
  if (before === undefined) return false;
  const age = member.created_at.getTime() - before.received_at.getTime();
  return age >= deliveryKeptMs || !before.endpoint_ids.includes(member.endpoint_id);
}

function numberBefore(member: Member): EventNumber {
  return {
    merchantId: member.merchant_id,
    transactionType: member.transaction_type,
    transactionId: member.transaction_id,
    sequence: member.sequence - 1,
  };
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

/** Due at another moment: now, and no longer held, when there is nothing to wait for. */
function moved(
  member: Member,
  until: Date | undefined,
  now: Date,
): AnyBulkWriteOperation<DeliveryDocument> {
  const free = { held: false, due_at: now, next_attempt_at: now };
  const isUnbound = until !== undefined && until >= withoutBound;
  return {
    updateOne: {
      filter: { _id: member._id, state: "pending", held: true },
      update: {
        $set: until === undefined ? free : waiting(until, now),
        ...(isUnbound ? {} : { $unset: { recheck_at: 1 } }),
      },
    },
  };
}

/** An event's number as text, for sets. */
export function numberKey(number: EventNumber): string {
  const { merchantId, transactionType, transactionId, sequence } = number;
  return JSON.stringify([merchantId, transactionType, transactionId, sequence]);
}
