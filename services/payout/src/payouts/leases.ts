import { originOf } from "@disburse/chassis/call-context.ts";
import { createGatherer } from "@disburse/chassis/mongo/grouping/gatherer.ts";
import { timerMs } from "@disburse/chassis/timer.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Lease, type Payouts, toPayout } from "./document.ts";
import { keep, type LeasedPayout, release } from "./work.ts";

/** Longer than the slowest rail call and write. Work of a killed worker resumes within 10 s. */
export const leaseMs = 8_000;

/** Limits the payouts of one poll. The next poll finds the rest. */
const batchMax = 64;
/** One poll at a time: a second one would find payouts that the first is leasing. */
const limits = {
  batchMax,
  inFlightMax: 1,
  waitingMax: Number.POSITIVE_INFINITY,
  batchBytesMax: Number.POSITIVE_INFINITY,
  waitingBytesMax: Number.POSITIVE_INFINITY,
};

type Waiting = { readonly key: undefined; readonly bytes: 0 } & Pick<
  PromiseWithResolvers<LeasedPayout | undefined>,
  "resolve" | "reject"
>;

export type LeasesOptions = {
  /** Limits the leased payouts that wait in this process. Others wait in the database. */
  readonly heldMax: number;
  /** The interval of polls for due payouts. `pollNow` polls earlier. */
  readonly pollEveryMs: number;
  /** Notified when a waiting payout is due, and when it is time to poll. */
  readonly work: Wake;
  /** Called when a payout is leased whose earlier lease had expired. */
  readonly onTakenOver?: (() => void) | undefined;
};

/** A leased payout that waits in this process. */
type Held = {
  readonly leased: LeasedPayout;
  readonly dueAt: Date;
  /** Notifies when the payout is due. */
  readonly timer?: NodeJS.Timeout | undefined;
};

export type Leases = ReturnType<typeof createLeases>;

/**
 * Leases payouts to the workers of one process. A new payout, or one whose rail is polled soon,
 * waits in the process under its lease, which saves a poll and a write. Polls find other due
 * payouts, the oldest due first. Workers that wait at the same time share a poll.
 */
export function createLeases(
  payouts: Payouts,
  clock: Clock,
  place: string,
  { heldMax, pollEveryMs, work, onTakenOver }: LeasesOptions,
) {
  /** Sorted by due time, the earliest first. */
  const held: Held[] = [];
  /** The payouts leased by this process, by id. */
  const tracked = new Map<string, "held" | "worked on">();

  const by = { place, leasedMs: leaseMs, onTakenOver };
  const polls = createPolls(payouts, clock, by, pollEveryMs);
  const isHeldDue = () => held[0] !== undefined && held[0].dueAt <= clock.now();
  const takeHeld = (): LeasedPayout | undefined => {
    while (isHeldDue()) {
      const { leased, timer } = held.shift() as Held;
      clearTimeout(timer);
      const at = clock.now();
      tracked.delete(leased.payout.id);
      // A poll finds a payout whose lease expired here.
      if (leased.until > at) return { ...leased, calls: [...leased.calls, { kind: "leased", at }] };
    }
    return undefined;
  };
  const hasCapacity = () => held.length < heldMax;
  const hold = (leased: LeasedPayout, dueAt: Date): void => {
    const waitMs = dueAt.getTime() - clock.now().getTime();
    const timer = waitMs > 0 ? setTimeout(work.notify, timerMs(waitMs + 1)) : undefined;
    const at = held.findLastIndex((each) => each.dueAt <= dueAt) + 1;
    held.splice(at, 0, { leased, dueAt, timer });
    tracked.set(leased.payout.id, "held");
    if (timer === undefined) work.notify();
  };
  const pollNow = (): void => {
    polls.isDueNow();
    work.notify();
  };
  return {
    /** Returns a leased payout, or `undefined` if none is due. Pass it to `done` afterwards. */
    next: async (): Promise<LeasedPayout | undefined> => {
      const leased = takeHeld() ?? (polls.isDue() ? await polls.find() : undefined);
      if (leased !== undefined) tracked.set(leased.payout.id, "worked on");
      return leased;
    },
    /** Returns true if another worker may get a payout now. */
    mayHaveMore: () => isHeldDue() || polls.isDue(),
    /** Lets a worker poll for due payouts at once. */
    pollNow,
    hasCapacity,
    /** Returns the lease to store a new payout with, or `undefined` if too many wait here. */
    leaseNew: (): Lease | undefined => (hasCapacity() ? newLease(clock.now(), by) : undefined),
    hold,
    /** Lets a worker submit a new payout: at once if it was stored with a lease. */
    begin: ({ payout, origin }: Pick<LeasedPayout, "payout" | "origin">, lease?: Lease): void => {
      if (lease === undefined) pollNow();
      else {
        const { token: leaseToken, until } = lease;
        hold({ payout, leaseToken, until, origin, calls: [] }, clock.now());
      }
    },
    /** Called when a worker has finished with a payout for now. */
    done: ({ payout }: LeasedPayout): void => {
      if (tracked.get(payout.id) === "worked on") tracked.delete(payout.id);
    },
    /** Returns true if this process has leased the payout. */
    isHeld: (payoutId: string): boolean => tracked.has(payoutId),
    /** Ends the leases of waiting payouts, so that other processes continue at once. */
    releaseHeld: async (): Promise<void> => {
      const releases = held.splice(0).map(({ leased, dueAt, timer }) => {
        clearTimeout(timer);
        return release(payouts, leased, { work: dueAt });
      });
      await Promise.all(releases);
    },
  };
}

/** Polls for waiting workers, at an interval or at once. */
function createPolls(payouts: Payouts, clock: Clock, by: LeasedBy, everyMs: number) {
  let nextAt = 0;
  const poll = async (waiting: readonly Waiting[]) => {
    const polledAt = performance.now();
    nextAt = polledAt + everyMs;
    try {
      const leased = await leaseDue(payouts, clock.now(), by, waiting.length);
      // A full result: there may be more.
      if (leased.length === waiting.length) nextAt = polledAt;
      for (const [at, { resolve }] of waiting.entries()) resolve(leased[at]);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  };
  const gatherer = createGatherer(poll, limits);
  return {
    isDue: () => performance.now() >= nextAt,
    isDueNow: (): void => {
      nextAt = 0;
    },
    find: (): Promise<LeasedPayout | undefined> => {
      const { promise, resolve, reject } = Promise.withResolvers<LeasedPayout | undefined>();
      gatherer.add({ key: undefined, bytes: 0, resolve, reject });
      return promise;
    },
  };
}

type LeasedBy = Pick<LeasesOptions, "onTakenOver"> & {
  readonly place: string;
  readonly leasedMs: number;
};

function newLease(now: Date, { place, leasedMs }: LeasedBy): Lease {
  return { token: crypto.randomUUID(), until: new Date(now.getTime() + leasedMs), place };
}

/**
 * Leases up to `limit` payouts for `leasedMs`. A lease raises the revision, so a worker with an
 * expired lease changes nothing. A lease that ends later than a correct clock could have set counts
 * as expired.
 */
export async function leaseDue(
  payouts: Payouts,
  now: Date,
  by: LeasedBy,
  limit: number,
): Promise<LeasedPayout[]> {
  const latest = new Date(now.getTime() + 2 * by.leasedMs);
  const due = await payouts
    .find({ work_due_at: { $lte: now }, $nor: [{ "lease.until": { $gt: now, $lte: latest } }] })
    .sort({ work_due_at: 1 })
    .limit(limit)
    .toArray();
  const leased = due.map(async (found): Promise<LeasedPayout | undefined> => {
    const lease = newLease(now, by);
    const { matchedCount } = await payouts.updateOne(
      { _id: found._id, revision: found.revision },
      {
        $set: { lease },
        $inc: { revision: 1 },
        $push: { calls: keep([{ kind: "leased", at: now }]) },
      },
    );
    // Another process has leased or changed it.
    if (matchedCount === 0) return undefined;
    if (found.lease !== undefined) by.onTakenOver?.();
    const payout = { ...toPayout(found), revision: found.revision + 1 };
    const { token: leaseToken, until } = lease;
    return { payout, leaseToken, until, origin: originOf(found), calls: [] };
  });
  return (await Promise.all(leased)).filter((each) => each !== undefined);
}
