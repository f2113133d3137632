import { originOf } from "@disburse/chassis/call-context.ts";
import { createGatherer } from "@disburse/chassis/mongo/grouping/gatherer.ts";
import { timerMs } from "@disburse/chassis/timer.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type Lease, type Payouts, toPayout } from "./document.ts";
import { keep, type LeasedPayout, release } from "./work.ts";

/** Longer than the slowest rail call and write; what a killed worker left resumes within 10 s. */
export const leaseMs = 8_000;

/** The payouts of one look; a due one that is not among them is in the next. */
const batchMax = 64;
/** One look at a time: what is being leased must not be found again. */
const limits = {
  batchMax,
  inFlightMax: 1,
  waitingMax: Number.POSITIVE_INFINITY,
  batchBytesMax: Number.POSITIVE_INFINITY,
  waitingBytesMax: Number.POSITIVE_INFINITY,
};

type Asking = { readonly key: undefined; readonly bytes: 0 } & Pick<
  PromiseWithResolvers<LeasedPayout | undefined>,
  "resolve" | "reject"
>;

/** How one process keeps its leases. */
export type LeasesOptions = {
  /** Leased payouts that wait in this process; further ones wait in the database. */
  readonly heldMax: number;
  /** The time between two looks at what is due, where none is asked for. */
  readonly lookEveryMs: number;
  /** Notified when a payout that waits here is due, and when others are to be looked for. */
  readonly work: Wake;
  /** Called when a payout was leased whose lease had expired. */
  readonly onTakenOver?: (() => void) | undefined;
};

/** A leased payout that waits in this process. */
type Held = {
  readonly leased: LeasedPayout;
  readonly dueAt: Date;
  /** Notifies when it is due. */
  readonly timer?: NodeJS.Timeout | undefined;
};

/** The payouts that one process works on. */
export type Leases = ReturnType<typeof createLeases>;

/**
 * Leases payouts to the workers of one process. A new payout, and one whose rail is polled soon,
 * wait in the process under their lease: that spares a look and a write. Other due payouts are
 * found by looks, those whose work is due longest first; workers that ask at the same time are
 * served from one.
 */
export function createLeases(
  payouts: Payouts,
  clock: Clock,
  place: string,
  { heldMax, lookEveryMs, work, onTakenOver }: LeasesOptions,
) {
  /** By the time at which they are due. */
  const held: Held[] = [];
  /** By payout: whether it waits here, or a worker has it. */
  const inHand = new Map<string, "held" | "worked on">();

  const by = { place, leasedMs: leaseMs, onTakenOver };
  const looks = createLooks(payouts, clock, by, lookEveryMs);
  const isHeldDue = () => held[0] !== undefined && held[0].dueAt <= clock.now();
  const takeHeld = (): LeasedPayout | undefined => {
    while (isHeldDue()) {
      const { leased, timer } = held.shift() as Held;
      clearTimeout(timer);
      const at = clock.now();
      inHand.delete(leased.payout.id);
      // One whose lease expired here is found by a look.
      if (leased.until > at) return { ...leased, calls: [...leased.calls, { kind: "leased", at }] };
    }
    return undefined;
  };
  const hasRoom = () => held.length < heldMax;
  const hold = (leased: LeasedPayout, dueAt: Date): void => {
    const waitMs = dueAt.getTime() - clock.now().getTime();
    const timer = waitMs > 0 ? setTimeout(work.notify, timerMs(waitMs + 1)) : undefined;
    const at = held.findLastIndex((each) => each.dueAt <= dueAt) + 1;
    held.splice(at, 0, { leased, dueAt, timer });
    inHand.set(leased.payout.id, "held");
    if (timer === undefined) work.notify();
  };
  const lookNow = (): void => {
    looks.isDueNow();
    work.notify();
  };
  return {
    /** Answers with a leased payout, to be given to `done`; `undefined`: none is due. */
    next: async (): Promise<LeasedPayout | undefined> => {
      const leased = takeHeld() ?? (looks.isDue() ? await looks.find() : undefined);
      if (leased !== undefined) inHand.set(leased.payout.id, "worked on");
      return leased;
    },
    /** Whether another worker that asks now may get a payout. */
    mayHaveMore: () => isHeldDue() || looks.isDue(),
    /** Has a worker look at what is due. */
    lookNow,
    /** Whether this process keeps further payouts. */
    hasRoom,
    /** The lease to store a new payout with; `undefined`: enough wait here. */
    leaseNew: (): Lease | undefined => (hasRoom() ? newLease(clock.now(), by) : undefined),
    /** Keeps a leased payout until it is due. */
    hold,
    /** Has a worker submit a new payout: at once where it was stored with a lease. */
    begin: ({ payout, origin }: Pick<LeasedPayout, "payout" | "origin">, lease?: Lease): void => {
      if (lease === undefined) lookNow();
      else {
        const { token: leaseToken, until } = lease;
        hold({ payout, leaseToken, until, origin, calls: [] }, clock.now());
      }
    },
    /** A worker has done what there is to do now with a payout that it was given. */
    done: ({ payout }: LeasedPayout): void => {
      if (inHand.get(payout.id) === "worked on") inHand.delete(payout.id);
    },
    /** Whether a payout waits here, or a worker has it. */
    isInHand: (payoutId: string): boolean => inHand.has(payoutId),
    /** Ends the leases of what waits here: other processes go on at once. */
    releaseHeld: async (): Promise<void> => {
      const releases = held.splice(0).map(({ leased, dueAt, timer }) => {
        clearTimeout(timer);
        return release(payouts, leased, { work: dueAt });
      });
      await Promise.all(releases);
    },
  };
}

/** Finds due payouts for workers that ask, some time after the look before, or at once. */
function createLooks(payouts: Payouts, clock: Clock, by: LeasedBy, everyMs: number) {
  let nextAt = 0;
  const look = async (asking: readonly Asking[]) => {
    const askedAt = performance.now();
    nextAt = askedAt + everyMs;
    try {
      const leased = await leaseDue(payouts, clock.now(), by, asking.length);
      // There may be more.
      if (leased.length === asking.length) nextAt = askedAt;
      for (const [at, { resolve }] of asking.entries()) resolve(leased[at]);
    } catch (error) {
      for (const { reject } of asking) reject(error);
    }
  };
  const gatherer = createGatherer(look, limits);
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
 * Leases up to `limit` payouts for `leasedMs`. The lease raises the revision, so that a worker
 * whose lease expired changes nothing. A lease that ends later than a correct clock can have set
 * counts as expired.
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
