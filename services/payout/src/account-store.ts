import {
  type Database,
  ensureIndexes,
  isDuplicateKey,
  isOnlyDuplicateKeys,
  toDecimal128,
} from "@disburse/chassis/mongo.ts";
import type { StoredActor } from "@disburse/chassis/mutation.ts";
import { newId } from "@disburse/kernel/id.ts";
import {
  type AccountDocument,
  type HoldIntent,
  type LedgerDocument,
  ledgerDocument,
  type RecentMovement,
  toAccount,
  toLedgerEntry,
} from "./account-documents.ts";
import { type Account, effectOf, type LedgerEntry, type Movement } from "./domain/account.ts";

export type AccountStore = Awaited<ReturnType<typeof openAccountStore>>;

/** What applying a movement came to. `applied` also says that an earlier try had done it. */
export type Applied =
  | { readonly outcome: "applied"; readonly entry: LedgerEntry }
  | { readonly outcome: "insufficient" | "too_late" | "no_account" };

/** How long after its check a movement may still be applied (architecture: hold). */
const deadlineMs = 10_000;
/** Past this, no movement that could repeat a finished one can still be applied. */
const keptMs = 2 * deadlineMs;
/** Balances stay within what Decimal128 keeps exactly. */
const balanceMax = 10n ** 33n;
/** Accounts whose movements one run of the recorder writes to the ledger. */
const recordBatch = 100;

/** Accounts and their ledger. An account's own document decides on its money, one write a movement. */
export async function openAccountStore({ db }: Database) {
  const accounts = db.collection<AccountDocument>("accounts");
  const ledger = db.collection<LedgerDocument>("ledger_entries");
  await ensureIndexes(db, "accounts", [
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    { key: { "recent.at": 1 }, name: "recent" },
    { key: { "recent.open_since": 1 }, name: "open_holds", sparse: true },
  ]);
  await ensureIndexes(db, "ledger_entries", [
    { key: { account_id: 1, sequence: -1 }, name: "statement", unique: true },
  ]);

  /** The movement that was made under a key before, wherever it is by now. */
  const findMovement = async (accountId: string, key: string): Promise<LedgerEntry | undefined> => {
    const account = await accounts.findOne({ _id: accountId });
    const recent = account?.recent.find((movement) => movement.key === key);
    if (account && recent) return toLedgerEntry(ledgerDocument(account, recent));
    const recorded = await ledger.findOne({ _id: key });
    return recorded === null ? undefined : toLedgerEntry(recorded);
  };

  /** Writes an account's movements to its ledger, then drops those that no late try can repeat. */
  const record = async (account: AccountDocument): Promise<void> => {
    const fresh = account.recent.filter(({ sequence }) => sequence > account.recorded_sequence);
    const old = account.recent.some(({ at }) => Date.now() - at.getTime() > keptMs);
    if (fresh.length === 0 && !old) return;
    if (fresh.length > 0) {
      const documents = fresh.map((movement) => ledgerDocument(account, movement));
      await ledger.insertMany(documents, { ordered: false }).catch((error: unknown) => {
        if (!isOnlyDuplicateKeys(error)) throw error;
      });
    }
    await accounts.updateOne({ _id: account._id }, [
      { $set: { recorded_sequence: { $max: ["$recorded_sequence", account.sequence] } } },
      { $set: { recent: { $filter: { input: "$recent", cond: { $not: [isDone] } } } } },
    ]);
  };

  return {
    findMovement,

    /** The clock that decides on deadlines. */
    databaseTime: async (): Promise<Date> => {
      const [row] = await db
        .aggregate<{ now: Date }>([{ $documents: [{}] }, { $set: { now: "$$NOW" } }])
        .toArray();
      if (row === undefined) throw new Error("the database told no time");
      return row.now;
    },

    /** The last moment at which a movement may be applied that was found missing at `now`. */
    deadlineAfter: (now: Date): Date => new Date(now.getTime() + deadlineMs),

    /** Opens an account with nothing in it; a repeat answers with the first one. */
    open: async (
      merchantId: string,
      currency: string,
      change: { operationId: string; actor: StoredActor },
      now: Date,
    ): Promise<Account> => {
      const document: AccountDocument = {
        _id: newId("account", now),
        schema_version: 1,
        merchant_id: merchantId,
        currency,
        available: toDecimal128(0n),
        held: toDecimal128(0n),
        sequence: 0,
        recorded_sequence: 0,
        recent: [],
        operation_id: change.operationId,
        actor: change.actor,
        created_at: now,
        updated_at: now,
      };
      try {
        await accounts.insertOne(document);
        return toAccount(document);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const operation = { merchant_id: merchantId, operation_id: change.operationId };
        const first = await accounts.findOne(operation);
        if (first === null) throw error;
        return toAccount(first);
      }
    },

    read: async (merchantId: string, id: string): Promise<Account | undefined> => {
      const found = await accounts.findOne({ _id: id, merchant_id: merchantId });
      return found === null ? undefined : toAccount(found);
    },
    readAny: async (id: string): Promise<Account | undefined> => {
      const found = await accounts.findOne({ _id: id });
      return found === null ? undefined : toAccount(found);
    },
    list: async (merchantId: string): Promise<Account[]> => {
      const found = accounts.find({ merchant_id: merchantId }).sort({ _id: 1 });
      return (await found.toArray()).map(toAccount);
    },

    /**
     * Applies a movement in one conditional write, at most once a key: not when its key is among the
     * account's recent ones, not without the money, not after the deadline by the database's clock. The
     * caller has looked for the key with `findMovement` after it read the clock.
     */
    apply: async (
      merchantId: string,
      accountId: string,
      movement: Movement,
      deadline: Date,
      intent?: HoldIntent,
    ): Promise<Applied> => {
      const updated = await accounts.findOneAndUpdate(
        {
          _id: accountId,
          merchant_id: merchantId,
          "recent.key": { $ne: movement.key },
          ...funded(movement),
          $expr: { $lt: ["$$NOW", deadline] },
        },
        movementUpdate(movement, intent),
        { returnDocument: "after" },
      );
      const found =
        updated ?? (await accounts.findOne({ _id: accountId, merchant_id: merchantId }));
      if (found === null) return { outcome: "no_account" };
      const made = found.recent.find(({ key }) => key === movement.key);
      if (made !== undefined) {
        return { outcome: "applied", entry: toLedgerEntry(ledgerDocument(found, made)) };
      }
      const { available, held } = toAccount(found);
      const effect = effectOf(movement);
      const short = available + effect.available < 0n || held + effect.held < 0n;
      const isFull = available + effect.available >= balanceMax;
      return { outcome: short || isFull ? "insufficient" : "too_late" };
    },

    /** Notes that the fate of holds is known: their payouts exist, or they were released. */
    closeHolds: async (accountId: string, keys: readonly string[]): Promise<void> => {
      const isNamed = { $in: ["$$each.key", [...keys]] };
      const closed = {
        $mergeObjects: [
          { $unsetField: { field: "open_since", input: "$$each" } },
          { closed_at: "$$NOW" },
        ],
      };
      const isOpenAndNamed = { $and: [isNamed, { $gt: ["$$each.open_since", null] }] };
      await accounts.updateOne({ _id: accountId }, [
        {
          $set: {
            recent: {
              $map: {
                input: "$recent",
                as: "each",
                in: { $cond: [isOpenAndNamed, closed, "$$each"] },
              },
            },
          },
        },
      ]);
    },

    /** Holds that are open since before `before`, by account. */
    openHolds: async (
      before: Date,
    ): Promise<{ accountId: string; merchantId: string; holds: RecentMovement[] }[]> => {
      const found = await accounts
        .find({ "recent.open_since": { $lt: before } })
        .limit(recordBatch)
        .toArray();
      return found.map((account) => ({
        accountId: account._id,
        merchantId: account.merchant_id,
        holds: account.recent.filter(({ open_since }) => open_since && open_since < before),
      }));
    },

    /** Records what accounts still hold; answers how many accounts there were. */
    recordRecent: async (): Promise<number> => {
      const found = await accounts
        .find({ "recent.at": { $gt: new Date(0) } })
        .limit(recordBatch)
        .toArray();
      for (const account of found) await record(account);
      return found.length;
    },

    /** A page of a statement, newest first, complete up to this moment; `undefined`: no such account. */
    listEntries: async (
      merchantId: string,
      accountId: string,
      beforeSequence: number | undefined,
      limit: number,
    ): Promise<LedgerEntry[] | undefined> => {
      const account = await accounts.findOne({ _id: accountId, merchant_id: merchantId });
      if (account === null) return undefined;
      if (account.sequence > account.recorded_sequence) await record(account);
      const bound = beforeSequence === undefined ? {} : { sequence: { $lt: beforeSequence } };
      const found = ledger.find({ account_id: accountId, merchant_id: merchantId, ...bound });
      return (await found.sort({ sequence: -1 }).limit(limit).toArray()).map(toLedgerEntry);
    },
  };
}

/** In the ledger, its hold's fate known, and too old for any late try. */
const isDone = {
  $and: [
    { $lte: ["$$this.sequence", "$recorded_sequence"] },
    { $not: [{ $gt: ["$$this.open_since", null] }] },
    {
      $lt: [{ $max: ["$$this.at", "$$this.closed_at"] }, { $subtract: ["$$NOW", keptMs] }],
    },
  ],
};

/** The account has what the movement takes, and room for what it brings. */
function funded(movement: Movement) {
  const { available, held } = effectOf(movement);
  const needs = (effect: bigint) => ({ $gte: toDecimal128(-effect) });
  return {
    ...(available < 0n ? { available: needs(available) } : {}),
    ...(available > 0n ? { available: { $lt: toDecimal128(balanceMax - available) } } : {}),
    ...(held < 0n ? { held: needs(held) } : {}),
  };
}

function movementUpdate(movement: Movement, intent: HoldIntent | undefined) {
  const effect = effectOf(movement);
  const available = { $add: ["$available", toDecimal128(effect.available)] };
  const held = { $add: ["$held", toDecimal128(effect.held)] };
  const sequence = { $add: ["$sequence", 1] };
  const { key, step, amount, payoutId, note } = movement;
  const words = { key, step, amount: toDecimal128(amount), payout_id: payoutId, note, intent };
  const entry = {
    $mergeObjects: [
      { $literal: words },
      { sequence, available, held, at: "$$NOW" },
      intent === undefined ? {} : { open_since: "$$NOW" },
    ],
  };
  return [
    {
      $set: {
        available,
        held,
        sequence,
        updated_at: "$$NOW",
        recent: { $concatArrays: ["$recent", [entry]] },
      },
    },
  ];
}
