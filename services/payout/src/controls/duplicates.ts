import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Database, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Collection, Filter } from "mongodb";
import { isHeld, type Ledger } from "../ledger/accounts.ts";
import { isCreated, type PayoutDocument, type Payouts } from "../payouts/document.ts";
import type { PayoutControls } from "./settings.ts";

/** A payout before its creation, with a reading of its quote's clock. */
export type NewPayout = ClockReading & {
  readonly payoutId: string;
  readonly merchantId: string;
  readonly accountId: string;
  /** Keyed hashes of destination and reference. Empty without a reference. */
  readonly duplicateKeys: readonly string[];
  readonly source: string;
  readonly sourceMinor: bigint;
  readonly destination: string;
  readonly receivingMinor: bigint;
};

/** The reading of another clock, and `performance.now()` before and after it. */
export type ClockReading = {
  readonly now: Date;
  readonly sentAt: number;
  readonly receivedAt: number;
};

/** The lock of one execute on a destination and a reference. */
type LockDocument = {
  /** `<merchant id>:<duplicate key>`. */
  _id: string;
  schema_version: number;
  payout_id: string;
  account_id: string;
  /**
   * The time of the clock of quotes, which all processes share. Never before the lock was taken.
   */
  taken_at: Date;
  /** Further attempts of the payout that took it. Absent without any. */
  shared?: number;
};

/**
 * Ends a lock. A stored payout ends it for all attempts; after a refusal the other attempts keep
 * it.
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

/** No execute runs longer than this. An older lock is left from a crash. */
const lockMs = 5_000;
/** The longest wait for another execute's lock; `pauseMaxMs` limits the pause between two polls. */
const waitMaxMs = 3_000;
const pauseMaxMs = 40;

/**
 * Opens the guard. Executes to one destination with one reference lock each other out, so the later
 * one finds the payout of the earlier. A merchant without the guard costs no read and no write.
 */
export function createDuplicateGuard(deps: GuardDeps) {
  const locks = deps.database.db.collection<LockDocument>("execution_locks");
  return {
    /**
     * Takes a lock. End it when the payout is stored or refused. Returns `undefined` without a
     * guard.
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
  };
}

/**
 * Finds the first earlier payout since `since` with the same source or receiving amount. A new
 * quote keeps only one of the two. Failed payouts were not paid and don't count.
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
 * Takes the lock of every key: payouts are duplicates if they share any key. All executes use the
 * same order, so there is no deadlock.
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
  try {
    for (const key of payout.duplicateKeys.toSorted()) {
      taken.push(await takeLock(deps, locks, payout, key));
    }
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
  const { merchantId, payoutId, accountId } = payout;
  const _id = `${merchantId}:${key}`;
  const own = { payout_id: payoutId, account_id: accountId };
  // If it expires in the meantime, another execute has it.
  const its = { _id, payout_id: payoutId };
  const lock: ExecutionLock = {
    end: async (how) => {
      if (how === "refused") await locks.updateOne(its, { $inc: { shared: -1 } });
      await locks.deleteOne(how === "refused" ? { ...its, shared: { $lt: 0 } } : its);
    },
  };
  const waitsUntil = performance.now() + waitMaxMs;
  while (performance.now() < waitsUntil) {
    const taken = { ...own, taken_at: later(payout.now, payout.sentAt) };
    if (await insertOnce(locks, { _id, schema_version: 1, ...taken })) return lock;
    const found = await locks.findOne({ _id });
    if (found === null) continue;
    // Another attempt of the same payout: the first one creates it.
    if (found.payout_id === payoutId) {
      const { matchedCount } = await locks.updateOne(its, { $inc: { shared: 1 } });
      if (matchedCount === 1) return lock;
      continue;
    }
    if (await isStale(deps, found, payout)) {
      const { payout_id, taken_at } = found;
      const retaken = { $set: taken, $unset: { shared: "" as const } };
      const { matchedCount } = await locks.updateOne({ _id, payout_id, taken_at }, retaken);
      if (matchedCount === 1) return lock;
    }
    await pause(Math.random() * pauseMaxMs);
  }
  throw new ConnectError("another payout of this reference is being executed", Code.Unavailable);
}

/** Extrapolates a clock that read `then` at a time of `performance.now()`. */
function later(then: Date, at: number): Date {
  return new Date(then.getTime() + performance.now() - at);
}

/** Returns true if a crash left the lock and its payout exists or can never exist. */
async function isStale(
  { payouts, ledger }: GuardDeps,
  { payout_id, account_id, taken_at }: LockDocument,
  { now, receivedAt }: ClockReading,
): Promise<boolean> {
  const agoMs = later(now, receivedAt).getTime() - taken_at.getTime();
  // In the past or in the future: the clock of quotes may have been set back.
  if (Math.abs(agoMs) < lockMs) return false;
  const exists = await payouts.findOne(
    { _id: payout_id, ...isCreated },
    { projection: { _id: 1 } },
  );
  // Held money without a payout becomes one or is released by the sweep.
  return exists !== null || !(await isHeld(ledger, account_id, payout_id));
}
