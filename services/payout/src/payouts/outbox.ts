import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { type Origin, originOf } from "@disburse/chassis/call-context.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { PayoutCounts } from "./counts.ts";
import type { PayoutDocument, Payouts, UncountedChange } from "./document.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { Created } from "./store.ts";

/** An event that its payout still carries: to be published, and its change to be counted. */
export type OwedEvent = {
  readonly payoutId: string;
  readonly merchantId: string;
  /** The request that made the payout, under the span that stored the event. */
  readonly origin: Origin;
  readonly event: PendingEvent;
  /** Absent where it was counted before. */
  readonly change?: UncountedChange | undefined;
};

/** An event of this process's, and how far it is. */
type Owed = OwedEvent & {
  readonly since: number;
  isPublished: boolean;
  isCounted: boolean;
  /** Whether its payout still carries the change, though it is counted. */
  isCarried: boolean;
};

/** How a payout's events are published. */
export type OutboxOptions = {
  readonly payouts: Payouts;
  readonly counts: PayoutCounts;
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
  /** Gets each change of status, to show it. */
  readonly onChange?: ((change: UncountedChange) => void) | undefined;
};

/** Events that are kept in memory; further ones are found in the database. */
const owedMax = 10_000;

/** The events of payouts, until they are published and counted. */
export type PayoutOutbox = ReturnType<typeof openPayoutOutbox>;

/**
 * The events of payouts, and who publishes them. What stores an event gives it to `add` or
 * `addCreated`, and nothing else; that notifies the relay of the process, which reads `due`. So the
 * process that stored an event publishes it from memory, counts its change
 * of status, and marks its payout, once for all that is known by then. What a crash leaves is in
 * its payout still, and is found. A published event stays in its payout, to be published again
 * where it was lost.
 */
export function openPayoutOutbox(options: OutboxOptions) {
  const { payouts, counts, clock, isInHand, markWithinMs, orphanedAfterMs, lookEveryMs } = options;
  const { stored, onChange } = options;
  /** By the id of the event, in the order in which they were added. */
  const owed = new Map<string, Owed>();
  const orphans = createOrphans<OwedEvent>(clock, orphanedAfterMs, ({ event }) => event);
  const orphanedChanges = createOrphans<UncountedChange>(clock, orphanedAfterMs, (each) => each);
  let nextLookAt = 0;

  const add = (event: OwedEvent): void => {
    if (owed.size >= owedMax) return;
    const isCarried = event.change !== undefined;
    const state = { isPublished: false, isCounted: !isCarried, isCarried };
    owed.set(event.event.id, { ...event, ...state, since: performance.now() });
  };
  /** Takes an event that was just stored: the relay publishes it at once. */
  const addStored = (event: OwedEvent): void => {
    add(event);
    if (event.change !== undefined) onChange?.(event.change);
    stored.notify();
  };
  const look = async (limit: number): Promise<void> => {
    nextLookAt = performance.now() + lookEveryMs;
    const found = await findOwed(payouts, limit + owed.size);
    const unknown = found.filter(({ event }) => !owed.has(event.id));
    for (const each of orphans(unknown)) add(each);
  };
  const markDue = async (payoutId: string, of: readonly Owed[], isLast: boolean) => {
    const isWhole = of.every(({ isPublished, isCounted }) => isPublished && isCounted);
    const isDue = isLast || performance.now() - (of[0]?.since ?? 0) >= markWithinMs;
    if (!isDue && (!isWhole || isInHand(payoutId))) return;
    await mark(payouts, payoutId, of, clock.now());
    for (const { event, isPublished } of of) if (isPublished) owed.delete(event.id);
  };
  return {
    add: addStored,
    /** Takes the events of a payout that was just stored. */
    addCreated: ({ payout, origin, created, also }: Created): void => {
      const of = { payoutId: payout.id, merchantId: payout.quote.merchantId, origin };
      addStored({ ...of, ...created });
      for (const event of also) addStored({ ...of, event });
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
    /** Counts what is not counted, and marks payouts; at last with whatever is known. */
    settle: async (isLast = false): Promise<void> => {
      const uncounted = [...owed.values()].filter(({ isCounted }) => !isCounted);
      const byMerchant = Map.groupBy(uncounted, ({ merchantId }) => merchantId);
      await Promise.all([...byMerchant].map(([merchantId, of]) => count(counts, merchantId, of)));
      const byPayout = Map.groupBy(owed.values(), ({ payoutId }) => payoutId);
      await Promise.all([...byPayout].map(([payoutId, of]) => markDue(payoutId, of, isLast)));
    },
    /** Counts the changes that were left behind; `true`: there may be more. */
    countOrphans: (): Promise<boolean> =>
      counts.run((changes) => orphanedChanges(changes.filter(({ id }) => !owed.has(id)))),
  } satisfies Outbox & Record<string, unknown>;
}

/**
 * Selects what was left behind from what its process is about to publish and count: by its age, or,
 * as clocks differ, by how long it has been seen.
 */
function createOrphans<T>(
  clock: Clock,
  afterMs: number,
  of: (each: T) => { readonly id: string; readonly at: Date },
): (found: readonly T[]) => T[] {
  let seenSince = new Map<string, number>();
  return (found) => {
    const [elapsed, now] = [performance.now(), clock.now().getTime()];
    const before = seenSince;
    const since = (each: T) => before.get(of(each).id) ?? elapsed;
    seenSince = new Map(found.map((each) => [of(each).id, since(each)]));
    return found.filter(
      (each) => now - of(each).at.getTime() >= afterMs || elapsed - since(each) >= afterMs,
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
    .project<Carrying>({ outbox: 1, request_id: 1, traceparent: 1, merchant_id: 1, untallied: 1 })
    .limit(limit)
    .toArray();
  return carrying.flatMap(({ _id: payoutId, merchant_id: merchantId, ...of }) =>
    of.outbox.map((event) => {
      const change = of.untallied.find(({ id }) => id === event.id);
      return { payoutId, merchantId, origin: originOf(of), event, change };
    }),
  );
}

type Carrying = Origin & Pick<PayoutDocument, "_id" | "merchant_id" | "outbox" | "untallied">;

/** Counts a merchant's changes; what comes too late is counted when it is found in its payout. */
async function count(counts: PayoutCounts, merchantId: string, of: readonly Owed[]): Promise<void> {
  const changes = of.flatMap(({ change }) => change ?? []);
  const since = Math.min(...of.map((each) => each.since));
  const isInTime = await counts.add(merchantId, changes, since);
  for (const each of of) {
    each.isCounted = true;
    if (!isInTime) each.isCarried = false;
  }
}

/** Marks a payout with what is published and counted; what is marked already stays so. */
async function mark(
  payouts: Payouts,
  payoutId: string,
  of: readonly Owed[],
  published_at: Date,
): Promise<void> {
  const idIn = (marked: readonly Owed[]) => ({ id: { $in: marked.map(({ event }) => event.id) } });
  const published = of.filter(({ isPublished }) => isPublished);
  const counted = of.filter(({ isCounted, isCarried }) => isCounted && isCarried);
  const isPublished = published.length > 0;
  if (!isPublished && counted.length === 0) return;
  const told = published.map(({ event: { id, key, body } }) => ({ id, key, body }));
  await payouts.updateOne(
    { _id: payoutId },
    {
      $pull: { outbox: idIn(published), untallied: idIn(counted) },
      ...(isPublished && { $addToSet: { told: { $each: told } }, $max: { published_at } }),
    },
  );
  for (const each of counted) each.isCarried = false;
}
