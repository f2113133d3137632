import { originOf } from "@disburse/chassis/call-context.ts";
import { createGatherer } from "@disburse/chassis/mongo/grouping/gatherer.ts";
import { timerMs } from "@disburse/chassis/timer.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Lease, type Payouts, toPayout } from "./document.ts";
import { keep, type LeasedPayout, release } from "./work.ts";

/**
 * The length of a lease. It exceeds the slowest rail call and write. The work of a killed process
 * resumes within 10 s.
 */
export const leaseMs = 8_000;

/** The maximum number of payouts in one poll. The next poll finds the rest. */
const batchMax = 64;
/** Only one poll runs at a time. A second one would find the payouts that the first is leasing. */
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
  /**
   * The maximum number of leased payouts that wait in this process. Other payouts wait in the
   * database.
   */
  readonly heldMax: number;
  /** The interval of polls for due payouts. `pollNow` starts a poll earlier. */
  readonly pollEveryMs: number;
  /** Wakes a worker when a waiting payout is due, or when it is time to poll. */
  readonly work: Wake;
  /** Called when a payout is leased whose earlier lease had expired. */
  readonly onTakenOver?: (() => void) | undefined;
};

/** A leased payout that waits in this process. */
type Held = {
  readonly leased: LeasedPayout;
  readonly dueAt: Date;
  /** Wakes a worker when the payout is due. */
  readonly timer?: NodeJS.Timeout | undefined;
};

export type Leases = ReturnType<typeof createLeases>;

/**
 * Leases payouts to the workers of one process. Some payouts wait in the process under their lease:
 * new ones, and those whose rail is polled soon. This saves a poll and a write. Polls find other
 * due payouts, the longest due first. Workers that wait at the same time share a poll.
 */
export function createLeases(
  payouts: Payouts,
  clock: Clock,
  place: string,
  { heldMax, pollEveryMs, work, onTakenOver }: LeasesOptions,
) {
  /** Sorted by due time, the earliest first. */
  const held: Held[] = [];
  /** The payouts that this process has leased, by id. */
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
      // A payout whose lease expired while it waited is dropped here. A poll finds it again.
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
    /**
     * Returns a leased payout, or `undefined` if none is due. Afterwards, call `done` with the
     * payout.
     */
    next: async (): Promise<LeasedPayout | undefined> => {
      const leased = takeHeld() ?? (polls.isDue() ? await polls.find() : undefined);
      if (leased !== undefined) tracked.set(leased.payout.id, "worked on");
      return leased;
    },
    /** Returns true if another call of `next` may return a payout now. */
    mayHaveMore: () => isHeldDue() || polls.isDue(),
    /** Makes a worker poll for due payouts at once. */
    pollNow,
    hasCapacity,
    /**
     * Returns a lease to store with a new payout. Returns `undefined` if too many payouts wait in
     * this process.
     */
    leaseNew: (): Lease | undefined => (hasCapacity() ? newLease(clock.now(), by) : undefined),
    hold,
    /**
     * Makes a worker submit a new payout. If the payout was stored with a lease, no poll is needed.
     */
    begin: ({ payout, origin }: Pick<LeasedPayout, "payout" | "origin">, lease?: Lease): void => {
      if (lease === undefined) pollNow();
      else {
        const { token: leaseToken, until } = lease;
        hold({ payout, leaseToken, until, origin, calls: [] }, clock.now());
      }
    },
    /** Call this when a worker has finished its present work on a payout. */
    done: ({ payout }: LeasedPayout): void => {
      if (tracked.get(payout.id) === "worked on") tracked.delete(payout.id);
    },
    /** Returns true if this process has leased the payout. */
    isHeld: (payoutId: string): boolean => tracked.has(payoutId),
    /** Ends the leases of waiting payouts, so that other processes can take them at once. */
    releaseHeld: async (): Promise<void> => {
      const releases = held.splice(0).map(({ leased, dueAt, timer }) => {
        clearTimeout(timer);
        return release(payouts, leased, { work: dueAt });
      });
      await Promise.all(releases);
    },
  };
}

/**
 * Creates the polls, which lease payouts for waiting workers. They run at an interval, or at once
 * after `isDueNow`.
 */
function createPolls(payouts: Payouts, clock: Clock, by: LeasedBy, everyMs: number) {
  let nextAt = 0;
  const poll = async (waiting: readonly Waiting[]) => {
    const polledAt = performance.now();
    nextAt = polledAt + everyMs;
    try {
      const leased = await leaseDue(payouts, clock.now(), by, waiting.length);
      // The poll found as many payouts as it asked for, so there may be more.
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
 * Leases up to `limit` payouts for `leasedMs`. A lease raises the revision, so a worker whose lease
 * has expired can't change the payout. If a lease ends later than any correct clock could have set,
 * it counts as expired.
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
    // Another process has leased or changed the payout.
    if (matchedCount === 0) return undefined;
    if (found.lease !== undefined) by.onTakenOver?.();
    const payout = { ...toPayout(found), revision: found.revision + 1 };
    const { token: leaseToken, until } = lease;
    return { payout, leaseToken, until, origin: originOf(found), calls: [] };
  });
  return (await Promise.all(leased)).filter((each) => each !== undefined);
}
