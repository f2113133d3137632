import { setTimeout as pause } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Database, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Collection, Filter } from "mongodb";
import { isHeld, type Ledger } from "../ledger/accounts.ts";
import { isCreated, type PayoutDocument, type Payouts } from "../payouts/document.ts";
import type { PayoutControls } from "./settings.ts";

/** A payout that is about to be made of a quote, and what its quote's database said of the time. */
export type AskedPayout = ClockReading & {
  readonly payoutId: string;
  readonly merchantId: string;
  readonly accountId: string;
  /** Of its destination and reference; none: it has no reference. */
  readonly duplicateKeys: readonly string[];
  readonly source: string;
  readonly sourceMinor: bigint;
  readonly destination: string;
  readonly receivingMinor: bigint;
};

/** A clock that was read elsewhere; before and after, by `performance.now()` of this process. */
export type ClockReading = {
  readonly now: Date;
  readonly askedAt: number;
  readonly answeredAt: number;
};

/** The turn of one execute, of those to one destination under one reference. */
type TurnDocument = {
  /** `<merchant id>:<duplicate key>`. */
  _id: string;
  schema_version: number;
  payout_id: string;
  account_id: string;
  /** By the clock of quotes, which is one for all processes; not before it was taken. */
  taken_at: Date;
  /** Tries of the same payout beside the one that took it; absent while there was none. */
  shared?: number;
};

/**
 * Ends a turn. It is over for all tries of a payout that is stored; where one was refused, the
 * others go on in it.
 */
export type Turn = { readonly end: (how: "stored" | "refused") => Promise<void> };

/** Refuses payouts that repeat another one, where their merchant has it so. */
export type DuplicateGuard = ReturnType<typeof createDuplicateGuard>;

/** What the guard works with. */
export type GuardDeps = {
  readonly database: Database;
  readonly payouts: Payouts;
  readonly ledger: Ledger;
  readonly controls: Pick<PayoutControls, "of">;
};

/** No execute runs for so long; after it a turn is one that a crash left. */
const turnMs = 5_000;
/** The longest wait for the turn of another execute, and the longest pause between two looks. */
const waitMaxMs = 3_000;
const pauseMaxMs = 40;

/**
 * Opens the guard. Executes to one destination under one reference take turns, so of two at once
 * the later finds the payout of the earlier. A merchant without the guard costs no read and no
 * write.
 */
export function createDuplicateGuard(deps: GuardDeps) {
  const turns = deps.database.db.collection<TurnDocument>("execution_turns");
  return {
    /** A turn, to be ended when the payout is stored or refused; `undefined`: there is no guard. */
    enter: async (
      asked: AskedPayout,
    ): Promise<Turn | undefined | Refused<"POSSIBLE_DUPLICATE">> => {
      const windowMs = deps.controls.of(asked.merchantId)?.duplicateWindowMs;
      if (windowMs === undefined || asked.duplicateKeys.length === 0) return undefined;
      const turn = await takeTurns(deps, turns, asked);
      const since = new Date(asked.now.getTime() - windowMs);
      const earlier = await findEarlier(deps.payouts, asked, since);
      if (earlier === undefined) return turn;
      await turn.end("refused");
      return { ...refused("POSSIBLE_DUPLICATE"), payoutId: earlier };
    },
  };
}

/**
 * The first payout since then that this one would repeat: by the amount that leaves or the one that
 * arrives, as a new quote keeps one of them alone. One that has failed was not paid.
 */
async function findEarlier(
  payouts: Payouts,
  asked: AskedPayout,
  since: Date,
): Promise<string | undefined> {
  const { source, sourceMinor, destination, receivingMinor } = asked;
  const same: Filter<PayoutDocument> = {
    merchant_id: asked.merchantId,
    duplicate_keys: { $in: [...asked.duplicateKeys] },
    created_at: { $gt: since },
    status: { $ne: "failed" },
    _id: { $ne: asked.payoutId },
    $or: [
      { source, source_minor: toDecimal128(sourceMinor) },
      { destination, receiving_minor: toDecimal128(receivingMinor) },
    ],
  };
  const options = { projection: { _id: 1 }, sort: { created_at: 1, _id: 1 } } as const;
  return (await payouts.findOne(same, options))?._id;
}

/**
 * Takes the turn of every key: two payouts repeat each other where they have one key in common,
 * whichever it is. All executes take them in the same order, so none waits for each other.
 */
async function takeTurns(
  deps: GuardDeps,
  turns: Collection<TurnDocument>,
  asked: AskedPayout,
): Promise<Turn> {
  const taken: Turn[] = [];
  const end: Turn["end"] = async (how) => {
    for (const each of taken) await each.end(how);
  };
  try {
    for (const key of asked.duplicateKeys.toSorted()) {
      taken.push(await takeTurn(deps, turns, asked, key));
    }
  } catch (error) {
    await end("refused");
    throw error;
  }
  return { end };
}

async function takeTurn(
  deps: GuardDeps,
  turns: Collection<TurnDocument>,
  asked: AskedPayout,
  key: string,
): Promise<Turn> {
  const { merchantId, payoutId, accountId } = asked;
  const _id = `${merchantId}:${key}`;
  const own = { payout_id: payoutId, account_id: accountId };
  // Where it ends by itself meanwhile, another execute has it.
  const its = { _id, payout_id: payoutId };
  const turn: Turn = {
    end: async (how) => {
      if (how === "refused") await turns.updateOne(its, { $inc: { shared: -1 } });
      await turns.deleteOne(how === "refused" ? { ...its, shared: { $lt: 0 } } : its);
    },
  };
  const waitsUntil = performance.now() + waitMaxMs;
  while (performance.now() < waitsUntil) {
    const taken = { ...own, taken_at: later(asked.now, asked.askedAt) };
    if (await insertOnce(turns, { _id, schema_version: 1, ...taken })) return turn;
    const found = await turns.findOne({ _id });
    if (found === null) continue;
    // Another try of the same payout: whichever is first makes it.
    if (found.payout_id === payoutId) {
      const { matchedCount } = await turns.updateOne(its, { $inc: { shared: 1 } });
      if (matchedCount === 1) return turn;
      continue;
    }
    if (await isLeft(deps, found, asked)) {
      const { payout_id, taken_at } = found;
      const retaken = { $set: taken, $unset: { shared: "" as const } };
      const { matchedCount } = await turns.updateOne({ _id, payout_id, taken_at }, retaken);
      if (matchedCount === 1) return turn;
    }
    await pause(Math.random() * pauseMaxMs);
  }
  throw new ConnectError("another payout of this reference is being executed", Code.Unavailable);
}

/** What a clock says now that said `then` at a time of `performance.now()`. */
function later(then: Date, at: number): Date {
  return new Date(then.getTime() + performance.now() - at);
}

/** Whether a crash left a turn, and what it was for is a payout by now or will never be one. */
async function isLeft(
  { payouts, ledger }: GuardDeps,
  { payout_id, account_id, taken_at }: TurnDocument,
  { now, answeredAt }: ClockReading,
): Promise<boolean> {
  const agoMs = later(now, answeredAt).getTime() - taken_at.getTime();
  // Long before now, or after it: then the clock of quotes was set back.
  if (Math.abs(agoMs) < turnMs) return false;
  const exists = await payouts.findOne(
    { _id: payout_id, ...isCreated },
    { projection: { _id: 1 } },
  );
  // Held money without a payout becomes one, or is released, by the sweep.
  return exists !== null || !(await isHeld(ledger, account_id, payout_id));
}
