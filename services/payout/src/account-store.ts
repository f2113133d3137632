import {
  type Database,
  ensureIndexes,
  isDuplicateKey,
  toDecimal128,
} from "@disburse/chassis/mongo.ts";
import type { StoredActor } from "@disburse/chassis/mutation.ts";
import type { PageCursor } from "@disburse/chassis/page-cursor.ts";
import { behind, countMax, oldestFirst } from "@disburse/chassis/record-page.ts";
import { newId } from "@disburse/kernel/id.ts";
import {
  type AccountCollections,
  type AccountDocument,
  type LedgerDocument,
  toAccount,
} from "./account-documents.ts";
import type { Account, Movement } from "./domain/account.ts";
import { listEntries, recordRecent } from "./ledger.ts";
import {
  applyMovement,
  closeHolds,
  deadlineMs,
  findMovement,
  type MovementTarget,
  openHolds,
} from "./movements.ts";

export type AccountStore = Awaited<ReturnType<typeof openAccountStore>>;

/**
 * Accounts and their ledger. An account's own document decides on its money, one write a movement.
 */
export async function openAccountStore({ db }: Database) {
  const accounts = db.collection<AccountDocument>("accounts");
  const ledger = db.collection<LedgerDocument>("ledger_entries");
  const collections = { accounts, ledger };
  await ensureIndexes(db, "accounts", [
    { key: { merchant_id: 1, operation_id: 1 }, name: "operation", unique: true },
    { key: { merchant_id: 1, created_at: 1, _id: 1 }, name: "list" },
    { key: { dirty: 1 }, name: "dirty", sparse: true },
  ]);
  await ensureIndexes(db, "ledger_entries", [
    { key: { account_id: 1, sequence: -1 }, name: "statement", unique: true },
  ]);
  const readOne = async (filter: { _id: string; merchant_id?: string }) => {
    const found = await accounts.findOne(filter);
    return found === null ? undefined : toAccount(found);
  };
  return {
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
    open: (opening: Opening, now: Date) => openAccount(collections, opening, now),
    read: (merchantId: string, id: string) => readOne({ _id: id, merchant_id: merchantId }),
    readAny: (id: string) => readOne({ _id: id }),
    /** Oldest first, after the cursor. */
    list: async (
      merchantId: string,
      after: PageCursor | undefined,
      limit: number,
    ): Promise<Account[]> => {
      const of = { merchant_id: merchantId };
      const found = accounts
        .find(after === undefined ? of : { $and: [of, ...behind(after, oldestFirst)] })
        .sort(oldestFirst)
        .limit(limit);
      return (await found.toArray()).map(toAccount);
    },
    /** How many accounts a merchant has, up to `countMax` and one. */
    count: (merchantId: string) =>
      accounts.countDocuments({ merchant_id: merchantId }, { limit: countMax + 1 }),
    findMovement: (accountId: string, key: string) => findMovement(collections, accountId, key),
    apply: (target: MovementTarget, movement: Movement) =>
      applyMovement(collections, target, movement),
    closeHolds: (accountId: string, keys: readonly string[]) =>
      closeHolds(collections, accountId, keys),
    openHolds: (before: Date) => openHolds(collections, before),
    recordRecent: () => recordRecent(collections),
    listEntries: (
      account: { readonly merchantId: string; readonly accountId: string },
      page: { readonly beforeSequence?: number; readonly limit: number },
    ) => listEntries(collections, account, page),
  };
}

/** An account to open, and as which operation. */
type Opening = {
  readonly merchantId: string;
  readonly currency: string;
  readonly operationId: string;
  readonly actor: StoredActor;
};

/** Opens an account with nothing in it; a repeat answers with the first one. */
async function openAccount(
  { accounts }: AccountCollections,
  { merchantId, currency, operationId, actor }: Opening,
  now: Date,
): Promise<Account> {
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
    applied: [],
    operation_id: operationId,
    actor,
    created_at: now,
    updated_at: now,
  };
  try {
    await accounts.insertOne(document);
    return toAccount(document);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    const first = await accounts.findOne({ merchant_id: merchantId, operation_id: operationId });
    if (first === null) throw error;
    return toAccount(first);
  }
}
