import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { type Origin, originOf } from "@disburse/chassis/call-context.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { PayoutDocument, Payouts } from "./document.ts";
import { announcedBy, type PendingEvent } from "./pending-event.ts";
import type { PayoutStatus } from "./rules/progress.ts";
import type { Created } from "./store.ts";

/** An event that its payout still carries, to be published. */
export type OwedEvent = {
  readonly payoutId: string;
  /** The request that made the payout, under the span that stored the event. */
  readonly origin: Origin;
  readonly event: PendingEvent;
};

/** An event of this process's, and how far it is. */
type Owed = OwedEvent & { readonly since: number; isPublished: boolean };

/** How a payout's events are published. */
export type OutboxOptions = {
  readonly payouts: Payouts;
  readonly clock: Clock;
  /** Whether this process may soon store another event of a payout. */
  readonly isInHand: (payoutId: string) => boolean;
  /** A mark waits at most so long for what the payout's next mark would have as well. */
  readonly markWithinMs: number;
  /** After this an event is one that a process left behind; it is looked for so often. */
  readonly orphanedAfterMs: number;
  readonly lookEveryMs: number;
  /** Notified when an event is to be published. */
  readonly stored: Wake;
  /** Gets the status that each event announces, to log and count it. */
  readonly onChange?: ((to: PayoutStatus, of: OwedEvent) => void) | undefined;
};

/** Events that are kept in memory; further ones are found in the database. */
const owedMax = 10_000;

/** The events of payouts, until they are published. */
export type PayoutOutbox = ReturnType<typeof openPayoutOutbox>;

/**
 * The events of payouts, and who publishes them. What stores an event gives it to `add` or
 * `addCreated`, and nothing else; that notifies the relay of the process, which reads `due`. So the
 * process that stored an event publishes it from memory, and marks its payout, once for all that is
 * known by then. What a crash leaves is in its payout still, and is found. A published event stays
 * in its payout, to be published again where it was lost.
 */
export function openPayoutOutbox(options: OutboxOptions) {
  const { payouts, clock, isInHand, markWithinMs, orphanedAfterMs, lookEveryMs } = options;
  const { stored, onChange } = options;
  /** By the id of the event, in the order in which they were added. */
  const owed = new Map<string, Owed>();
  const orphans = createOrphans(clock, orphanedAfterMs);
  let nextLookAt = 0;

  const add = (event: OwedEvent): void => {
    if (owed.size >= owedMax) return;
    owed.set(event.event.id, { ...event, isPublished: false, since: performance.now() });
  };
  /** Takes an event that was just stored: the relay publishes it at once. */
  const addStored = (event: OwedEvent): void => {
    add(event);
    const status = announcedBy(event.event);
    if (status !== undefined) onChange?.(status, event);
    stored.notify();
  };
  const look = async (limit: number): Promise<void> => {
    nextLookAt = performance.now() + lookEveryMs;
    const found = await findOwed(payouts, limit + owed.size);
    const unknown = found.filter(({ event }) => !owed.has(event.id));
    for (const each of orphans(unknown)) add(each);
  };
  const markDue = async (payoutId: string, of: readonly Owed[], isLast: boolean) => {
    const isWhole = of.every(({ isPublished }) => isPublished);
    const isDue = isLast || performance.now() - (of[0]?.since ?? 0) >= markWithinMs;
    if (!isDue && (!isWhole || isInHand(payoutId))) return;
    const published = of.flatMap(({ event, isPublished }) => (isPublished ? event : []));
    if (published.length > 0) await mark(payouts, payoutId, published, clock.now());
    for (const { id } of published) owed.delete(id);
  };
  return {
    add: addStored,
    /** Takes the events of a payout that was just stored. */
    addCreated: ({ payout, origin, events }: Created): void => {
      for (const event of events) addStored({ payoutId: payout.id, origin, event });
    },
    /** The oldest events to publish, at most `limit`. */
    due: async (limit: number): Promise<BusMessage[]> => {
      if (performance.now() >= nextLookAt) await look(limit);
      const waiting = [...owed.values()].filter(({ isPublished }) => !isPublished);
      return waiting
        .slice(0, limit)
        .map(({ event: { id, key, body }, origin }) => ({ id, key, body: body.value(), origin }));
    },
    /** The bus has these events. */
    published: async (messages: readonly BusMessage[]): Promise<void> => {
      for (const { id } of messages) {
        const known = owed.get(id);
        if (known !== undefined) known.isPublished = true;
      }
    },
    /** Marks payouts; at last with whatever is known. */
    settle: async (isLast = false): Promise<void> => {
      const byPayout = Map.groupBy(owed.values(), ({ payoutId }) => payoutId);
      await Promise.all([...byPayout].map(([payoutId, of]) => markDue(payoutId, of, isLast)));
    },
  } satisfies Outbox & Record<string, unknown>;
}

/**
 * Selects what was left behind from what its process is about to publish: by its age, or, as clocks
 * differ, by how long it has been seen.
 */
function createOrphans(clock: Clock, afterMs: number) {
  let seenSince = new Map<string, number>();
  return (found: readonly OwedEvent[]): OwedEvent[] => {
    const [elapsed, now] = [performance.now(), clock.now().getTime()];
    const before = seenSince;
    const since = ({ event }: OwedEvent) => before.get(event.id) ?? elapsed;
    seenSince = new Map(found.map((each) => [each.event.id, since(each)]));
    return found.filter(
      (each) => now - each.event.at.getTime() >= afterMs || elapsed - since(each) >= afterMs,
    );
  };
}

/**
 * What payouts carry, of a payout all or nothing, in the order of the index, which has no other
 * payouts: by the time of an event. A sort would read all that an outage of the bus has left, as
 * the index is of a list.
 */
async function findOwed(payouts: Payouts, limit: number) {
  const carrying = await payouts
    .find({ "outbox.at": { $gt: new Date(0) } }, { hint: "outbox" })
    .project<Carrying>({ outbox: 1, request_id: 1, traceparent: 1 })
    .limit(limit)
    .toArray();
  return carrying.flatMap(({ _id: payoutId, outbox, ...of }) =>
    outbox.map((event) => ({ payoutId, origin: originOf(of), event })),
  );
}

type Carrying = Origin & Pick<PayoutDocument, "_id" | "outbox">;

/** Marks a payout with what is published; what is marked already stays so. */
async function mark(
  payouts: Payouts,
  payoutId: string,
  published: readonly PendingEvent[],
  published_at: Date,
): Promise<void> {
  const told = published.map(({ id, key, body }) => ({ id, key, body }));
  await payouts.updateOne(
    { _id: payoutId },
    {
      $pull: { outbox: { id: { $in: published.map(({ id }) => id) } } },
      $addToSet: { told: { $each: told } },
      $max: { published_at },
    },
  );
}
