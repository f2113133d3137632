import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Database, fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { isHeld, type Ledger } from "@disburse/ledger/accounts.ts";
import { holdIdOf, readHoldId } from "@disburse/ledger/rules/account.ts";
import type { Collection, Filter } from "mongodb";
import { isCreated, type PayoutDocument, type Payouts } from "../payouts/document.ts";
import type { PayoutControls } from "./store.ts";

/** A payout that is about to be created, with a reading of the quote service's clock. */
export type NewPayout = ClockReading & {
  readonly payoutId: string;
  /** Set for the later attempts of a payout that waited for balance. */
  readonly attempt?: number | undefined;
  /** The scheduled payout whose reservation pays this payout. */
  readonly reservedFor?: string | undefined;
  readonly merchantId: string;
  readonly accountId: string;
  /** Keyed hashes of destination and reference. Empty if the payout has no reference. */
  readonly duplicateKeys: readonly string[];
  readonly source: string;
  readonly sourceMinor: bigint;
  readonly destination: string;
  readonly receivingMinor: bigint;
};

/**
 * A time from another service's clock. `sentAt` and `receivedAt` are `performance.now()` before and
 * after the call that returned it.
 */
export type ClockReading = {
  readonly now: Date;
  readonly sentAt: number;
  readonly receivedAt: number;
};

/** A lock that one execute holds for a destination and reference. */
type LockDocument = {
  /** `<merchant id>:<duplicate key>`. */
  _id: string;
  schema_version: number;
  /** The id under which the payout's money is held (`holdIdOf`). */
  payout_id: string;
  account_id: string;
  /** The scheduled payout whose reservation pays the payout. */
  reserved_for?: string;
  /**
   * The time by the quote service's clock, which all processes share. Never earlier than the real
   * time of the lock.
   */
  taken_at: Date;
  /**
   * The number of other attempts at the same payout that share the lock. Absent if there are none.
   */
  shared?: number;
};

/**
 * Ends this attempt's use of a lock. If the payout is stored, the lock ends for all its attempts.
 * After a refusal, the other attempts keep the lock.
 */
export type ExecutionLock = { readonly end: (how: "stored" | "refused") => Promise<void> };

/** Refuses duplicate payouts if the merchant has enabled the guard. */
export type DuplicateGuard = ReturnType<typeof createDuplicateGuard>;

export type GuardDeps = {
  readonly database: Database;
  readonly payouts: Payouts;
  readonly ledger: Ledger;
  readonly controls: Pick<PayoutControls, "of">;
};

/** No execute runs longer than this. An older lock was left by a crash. */
const lockMs = 5_000;
/**
 * The longest wait for another execute's lock. `pauseMaxMs` is the longest pause between two tries.
 */
const waitMaxMs = 3_000;
/**
 * A lock that was written later than this after its time is given back. During a failover its write
 * can take so long that another execute would find it left by a crash at once.
 */
const writtenWithinMs = 1_000;
const pauseMaxMs = 40;

/**
 * Creates the guard. Executes with the same destination and reference take the same lock, so a
 * later execute finds the payout of an earlier one. For a merchant without the guard, no reads or
 * writes happen.
 */
export function createDuplicateGuard(deps: GuardDeps) {
  const locks = deps.database.db.collection<LockDocument>("execution_locks");
  return {
    /**
     * Takes the payout's locks and checks for an earlier payout. Call `end` when the payout is
     * stored or refused. Returns `undefined` if the guard is off or the payout has no reference.
     */
    enter: async (
      payout: NewPayout,
    ): Promise<ExecutionLock | undefined | Refused<"POSSIBLE_DUPLICATE">> => {
      const windowMs = deps.controls.of(payout.merchantId)?.duplicateWindowMs;
      if (windowMs === undefined || payout.duplicateKeys.length === 0) return undefined;
      const lock = await takeLocks(deps, locks, payout);
      const since = new Date(payout.now.getTime() - windowMs);
      const earlier = await findEarlier(deps.payouts, payout, since);
      if (earlier === undefined) return lock;
      await lock.end("refused");
      return { ...refused("POSSIBLE_DUPLICATE"), payoutId: earlier };
    },
    /**
     * Reads earlier payouts with these keys, for a rehearsal, and takes no lock. The result finds
     * the earlier payout that a rehearsed one would repeat. Returns `undefined` if the guard is off.
     */
    rehearse: async (merchantId: string, keys: readonly string[], now: Date) => {
      const windowMs = deps.controls.of(merchantId)?.duplicateWindowMs;
      if (windowMs === undefined) return undefined;
      const since = new Date(now.getTime() - windowMs);
      const earlier: EarlierPayout[] = [];
      for (let at = 0; at < keys.length; at += keysMax) {
        const some = keys.slice(at, at + keysMax);
        earlier.push(...(await readEarlier(deps.payouts, merchantId, some, since)));
      }
      const byKey = new Map<string, EarlierPayout[]>();
      for (const each of earlier) {
        for (const key of each.duplicate_keys ?? [])
          byKey.set(key, [...(byKey.get(key) ?? []), each]);
      }
      return (payout: Omit<NewPayout, "merchantId" | "accountId" | keyof ClockReading>) =>
        payout.duplicateKeys
          .flatMap((key) => byKey.get(key) ?? [])
          .find((each) => isSameAmount(each, payout))?._id;
    },
  };
}

type EarlierPayout = Pick<
  PayoutDocument,
  "_id" | "duplicate_keys" | "source" | "source_minor" | "destination" | "receiving_minor"
>;

/** The maximum number of keys in one read, and of payouts that it returns. */
const keysMax = 1_000;
const earlierMax = 10_000;

function readEarlier(
  payouts: Payouts,
  merchant_id: string,
  keys: readonly string[],
  since: Date,
): Promise<EarlierPayout[]> {
  const amounts = { source: 1, source_minor: 1, destination: 1, receiving_minor: 1 } as const;
  return payouts
    .find(
      {
        merchant_id,
        duplicate_keys: { $in: [...keys] },
        created_at: { $gt: since },
        status: { $ne: "failed" },
      },
      { projection: { duplicate_keys: 1, ...amounts } },
    )
    .limit(earlierMax)
    .toArray() as Promise<EarlierPayout[]>;
}

/** A new quote usually repeats only the amount that it fixes, so one equal amount is enough. */
function isSameAmount(
  earlier: EarlierPayout,
  payout: Pick<NewPayout, "source" | "sourceMinor" | "destination" | "receivingMinor">,
): boolean {
  const isSource = earlier.source === payout.source;
  const isDestination = earlier.destination === payout.destination;
  return (
    (isSource && fromDecimal128(earlier.source_minor) === payout.sourceMinor) ||
    (isDestination && fromDecimal128(earlier.receiving_minor) === payout.receivingMinor)
  );
}

/**
 * Finds the first payout after `since` that has the same source amount or the same receiving
 * amount. A new quote usually repeats only the amount that it fixes. Failed payouts were not paid
 * and don't count.
 */
async function findEarlier(
  payouts: Payouts,
  payout: NewPayout,
  since: Date,
): Promise<string | undefined> {
  const { source, sourceMinor, destination, receivingMinor } = payout;
  const same: Filter<PayoutDocument> = {
    merchant_id: payout.merchantId,
    duplicate_keys: { $in: [...payout.duplicateKeys] },
    created_at: { $gt: since },
    status: { $ne: "failed" },
    _id: { $ne: payout.payoutId },
    $or: [
      { source, source_minor: toDecimal128(sourceMinor) },
      { destination, receiving_minor: toDecimal128(receivingMinor) },
    ],
  };
  const options = { projection: { _id: 1 }, sort: { created_at: 1, _id: 1 } } as const;
  return (await payouts.findOne(same, options))?._id;
}

/**
 * Takes a lock for every key, because two payouts are duplicates if they share any key. All
 * executes take locks in the same order, which prevents deadlocks.
 */
async function takeLocks(
  deps: GuardDeps,
  locks: Collection<LockDocument>,
  payout: NewPayout,
): Promise<ExecutionLock> {
  const taken: ExecutionLock[] = [];
  const end: ExecutionLock["end"] = async (how) => {
    for (const each of taken) await each.end(how);
  };
  let isTooOld = () => false;
  try {
    for (const key of payout.duplicateKeys.toSorted()) {
      taken.push(await takeLock(deps, locks, payout, key));
      if (taken.length === 1) isTooOld = isOlderThan(writtenWithinMs);
    }
    // The first lock aged while the others were awaited.
    if (isTooOld()) throw isBusy();
  } catch (error) {
    await end("refused");
    throw error;
  }
  return { end };
}

async function takeLock(
  deps: GuardDeps,
  locks: Collection<LockDocument>,
  payout: NewPayout,
  key: string,
): Promise<ExecutionLock> {
  const { merchantId, accountId, reservedFor } = payout;
  const holdId = holdIdOf(payout);
  const _id = `${merchantId}:${key}`;
  const own = {
    payout_id: holdId,
    account_id: accountId,
    ...(reservedFor !== undefined && { reserved_for: reservedFor }),
  };
  // Matches only this payout's lock. If the lock expires, another execute may take it over.
  const its = { _id, payout_id: holdId };
  const lock: ExecutionLock = {
    end: async (how) => {
      if (how === "refused") await locks.updateOne(its, { $inc: { shared: -1 } });
      await locks.deleteOne(how === "refused" ? { ...its, shared: { $lt: 0 } } : its);
    },
  };
  const tryOnce = async (taken: Omit<LockDocument, "_id" | "schema_version">) => {
    if (await insertOnce(locks, { _id, schema_version: 1, ...taken })) return true;
    const found = await locks.findOne({ _id });
    if (found === null) return false;
    const { payout_id, taken_at } = found;
    if (payout_id === holdId) {
      // Another attempt at the same payout holds the lock. They share it, because only one of them
      // creates the payout. The lock lasts from now, also if the other attempt hangs.
      const shared = {
        $inc: { shared: 1 },
        $max: { taken_at: taken.taken_at },
        ...(reservedFor !== undefined && { $set: { reserved_for: reservedFor } }),
      };
      return (await locks.updateOne(its, shared)).matchedCount === 1;
    }
    if (!(await isStale(deps, found, payout))) return false;
    const shared = { shared: "" } as const;
    const former = reservedFor === undefined ? ({ ...shared, reserved_for: "" } as const) : shared;
    const retaken = { $set: taken, $unset: former };
    return (await locks.updateOne({ _id, payout_id, taken_at }, retaken)).matchedCount === 1;
  };
  const waitsUntil = performance.now() + waitMaxMs;
  while (performance.now() < waitsUntil) {
    const isTooLate = isOlderThan(writtenWithinMs);
    if (await tryOnce({ ...own, taken_at: later(payout.now, payout.sentAt) })) {
      if (!isTooLate()) return lock;
      await lock.end("refused");
    }
    await pause(Math.random() * pauseMaxMs);
  }
  throw isBusy();
}

function isBusy(): ConnectError {
  return new ConnectError(
    "another payout with this account and reference is being executed: repeat the request",
    Code.Unavailable,
  );
}

/** Returns a function that tells whether this much time has passed since now. */
function isOlderThan(ms: number): () => boolean {
  const since = performance.now();
  return () => performance.now() - since > ms;
}

/** Returns the current time of a clock that showed `then` when `performance.now()` was `at`. */
function later(then: Date, at: number): Date {
  return new Date(then.getTime() + performance.now() - at);
}

/**
 * Returns true if the lock was left by a crash. Its payout then exists already, or can never exist.
 */
async function isStale(
  { payouts, ledger }: GuardDeps,
  { payout_id, account_id, reserved_for, taken_at }: LockDocument,
  { now, receivedAt, reservedFor }: NewPayout,
): Promise<boolean> {
  const agoMs = later(now, receivedAt).getTime() - taken_at.getTime();
  // `agoMs` may be negative, because the quote service's clock may have been set back.
  if (Math.abs(agoMs) < lockMs) return false;
  const exists = await payouts.findOne(
    { _id: readHoldId(payout_id).payoutId, ...isCreated },
    { projection: { _id: 1 } },
  );
  if (exists !== null) return true;
  // A scheduled payout has another quote only after the earlier one has ended.
  const isOrdersOwn = reserved_for !== undefined && reserved_for === reservedFor;
  // While money is held, the sweep may still create the payout, so the lock stays.
  return !(await isHeld(ledger, account_id, payout_id, isOrdersOwn ? undefined : reserved_for));
}
