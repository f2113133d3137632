import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { type Origin, originOf } from "@disburse/chassis/call-context.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { PayoutDocument, Payouts } from "./document.ts";
import { announcedBy, type PendingEvent } from "./pending-event.ts";
import type { PayoutStatus } from "./rules/progress.ts";
import type { Created } from "./store.ts";

/** An unpublished event of a payout. */
export type PendingPayoutEvent = {
  readonly payoutId: string;
  /**
   * The origin of the event: the request that created the payout, and the trace span that stored
   * the event.
   */
  readonly origin: Origin;
  readonly event: PendingEvent;
};

type TrackedEvent = PendingPayoutEvent & { readonly since: number; isPublished: boolean };

export type OutboxOptions = {
  readonly payouts: Payouts;
  readonly clock: Clock;
  /** Returns true if this process may soon store another event of the payout. */
  readonly isHeld: (payoutId: string) => boolean;
  /**
   * The longest time that an event stays unmarked, so that one write can mark the payout's next
   * events too.
   */
  readonly markWithinMs: number;
  /**
   * The age at which an unpublished event counts as orphaned. `pollEveryMs` is the interval of the
   * search for them.
   */
  readonly orphanedAfterMs: number;
  readonly pollEveryMs: number;
  /** Notified when an event was stored and can be published. */
  readonly stored: Wake;
  /** Called with the status that an event announces, for logs and metrics. */
  readonly onChange?: ((to: PayoutStatus, of: PendingPayoutEvent) => void) | undefined;
};

/** The maximum number of events in memory. A poll finds the others in the database. */
const pendingMax = 10_000;

export type PayoutOutbox = ReturnType<typeof openPayoutOutbox>;

/**
 * Publishes the events of payouts. Code that stores an event also passes it to `add` or
 * `addCreated`, which notifies this process's relay. The relay reads `due`. The process that stored
 * an event thus publishes it from memory. Later, one write marks all published events of a payout.
 * After a crash, a poll finds unpublished events in their payouts. A published event stays in its
 * payout, so that it can be published again if it is lost.
 */
export function openPayoutOutbox(options: OutboxOptions) {
  const { payouts, clock, isHeld, markWithinMs, orphanedAfterMs, pollEveryMs } = options;
  const { stored, onChange } = options;
  /** Events by id, in insertion order. */
  const pending = new Map<string, TrackedEvent>();
  const orphans = createOrphans(clock, orphanedAfterMs);
  let nextPollAt = 0;

  const add = (event: PendingPayoutEvent): void => {
    if (pending.size >= pendingMax) return;
    pending.set(event.event.id, { ...event, isPublished: false, since: performance.now() });
  };
  /** Adds an event that was just stored, and notifies the relay. */
  const addStored = (event: PendingPayoutEvent): void => {
    add(event);
    const status = announcedBy(event.event);
    if (status !== undefined) onChange?.(status, event);
    stored.notify();
  };
  const poll = async (limit: number): Promise<void> => {
    nextPollAt = performance.now() + pollEveryMs;
    const found = await findPending(payouts, limit + pending.size);
    const unknown = found.filter(({ event }) => !pending.has(event.id));
    for (const each of orphans(unknown)) add(each);
  };
  const markDue = async (payoutId: string, of: readonly TrackedEvent[], isLast: boolean) => {
    const isWhole = of.every(({ isPublished }) => isPublished);
    const isDue = isLast || performance.now() - (of[0]?.since ?? 0) >= markWithinMs;
    if (!isDue && (!isWhole || isHeld(payoutId))) return;
    const published = of.flatMap(({ event, isPublished }) => (isPublished ? event : []));
    if (published.length > 0) await mark(payouts, payoutId, published, clock.now());
    for (const { id } of published) pending.delete(id);
  };
  return {
    add: addStored,
    /** Adds the events of a payout that was just stored. */
    addCreated: ({ payout, origin, events }: Created): void => {
      for (const event of events) addStored({ payoutId: payout.id, origin, event });
    },
    /** Returns the oldest events to publish, at most `limit`. */
    due: async (limit: number): Promise<BusMessage[]> => {
      if (performance.now() >= nextPollAt) await poll(limit);
      const waiting = [...pending.values()].filter(({ isPublished }) => !isPublished);
      return waiting
        .slice(0, limit)
        .map(({ event: { id, key, body }, origin }) => ({ id, key, body: body.value(), origin }));
    },
    /** Call this after the bus has confirmed the events. */
    published: async (messages: readonly BusMessage[]): Promise<void> => {
      for (const { id } of messages) {
        const known = pending.get(id);
        if (known !== undefined) known.isPublished = true;
      }
    },
    /**
     * Marks published events in their payouts. With `isLast`, it doesn't wait for further events of
     * a payout.
     */
    settle: async (isLast = false): Promise<void> => {
      const byPayout = Map.groupBy(pending.values(), ({ payoutId }) => payoutId);
      await Promise.all([...byPayout].map(([payoutId, of]) => markDue(payoutId, of, isLast)));
    },
  } satisfies Outbox & Record<string, unknown>;
}

/**
 * Selects orphaned events, whose process will not publish them. An event is orphaned if its own
 * time is old enough. Because clocks differ, it is also orphaned if this process first saw it long
 * enough ago.
 */
function createOrphans(clock: Clock, afterMs: number) {
  let seenSince = new Map<string, number>();
  return (found: readonly PendingPayoutEvent[]): PendingPayoutEvent[] => {
    const [elapsed, now] = [performance.now(), clock.now().getTime()];
    const before = seenSince;
    const since = ({ event }: PendingPayoutEvent) => before.get(event.id) ?? elapsed;
    seenSince = new Map(found.map((each) => [each.event.id, since(each)]));
    return found.filter(
      (each) => now - each.event.at.getTime() >= afterMs || elapsed - since(each) >= afterMs,
    );
  };
}

/**
 * Finds unpublished events in the order of the sparse index, which is by event time. Returns all
 * events of a payout or none. The query has no sort: the index is multikey, so a sort would read
 * every event left by an outage of the bus.
 */
async function findPending(payouts: Payouts, limit: number) {
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

/** Marks events as published. Events that are already marked don't change. */
async function mark(
  payouts: Payouts,
  payoutId: string,
  published: readonly PendingEvent[],
  published_at: Date,
): Promise<void> {
  const each = published.map(({ id, key, body }) => ({ id, key, body }));
  await payouts.updateOne(
    { _id: payoutId },
    {
      $pull: { outbox: { id: { $in: published.map(({ id }) => id) } } },
      $addToSet: { published_events: { $each: each } },
      $max: { published_at },
    },
  );
}
