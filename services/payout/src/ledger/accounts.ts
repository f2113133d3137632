import {
  type Database,
  ensureIndexes,
  isDuplicateKey,
  toDecimal128,
} from "@disburse/chassis/mongo/database.ts";
import type { PageCursor } from "@disburse/chassis/paging/cursor.ts";
import { behind, countMax, oldestFirst } from "@disburse/chassis/paging/record-page.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { newId } from "@disburse/kernel/id.ts";
import {
  type AccountCollections,
  type AccountDocument,
  accountSchemaVersion,
  type LedgerDocument,
  type OpenHold,
  toAccount,
} from "./documents.ts";
import { houseBalances } from "./house.ts";
import { recordRecent } from "./recorder.ts";
import type { Account } from "./rules/account.ts";
import { type EntryFilter, listEntries, type OwnAccount, readAccountAsOf } from "./statement.ts";
import { createAccountWriter } from "./writer.ts";

export type AccountStore = Awaited<ReturnType<typeof openAccountStore>>;

/**
 * Accounts and their ledger. An account's own document decides on its money, one write at a time.
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
    { key: { account_id: 1, step: 1, sequence: -1 }, name: "statement_step" },
  ]);
  await assertReadable(accounts);
  const writer = createAccountWriter(collections);
  const readOne = async (filter: { _id: string; merchant_id?: string }) => {
    const found = await accounts.findOne(filter);
    return found === null ? undefined : toAccount(found);
  };
  return {
    apply: writer.apply,
    open: (opening: Opening, now: Date) => openAccount(collections, opening, now),
    read: (merchantId: string, id: string) => readOne({ _id: id, merchant_id: merchantId }),
    findPayout: (id: string) => readOne({ _id: id }),
    readAsOf: (own: OwnAccount, time: Date) => readAccountAsOf(collections, own, time),
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
    /** Notes that the fate of holds is known: their payouts exist, or they were released. */
    closeHolds: async (accountId: string, payoutIds: readonly string[]): Promise<void> => {
      const closed = { payout_id: { $in: [...payoutIds] } };
      await accounts.updateOne({ _id: accountId }, { $pull: { open_holds: closed } });
    },
    openHolds: (before: Date) => openHolds(collections, before),
    recordRecent: () => recordRecent(collections),
    listEntries: (
      own: OwnAccount,
      filter: EntryFilter,
      page: { readonly beforeSequence?: number; readonly limit: number },
    ) => listEntries(collections, own, filter, page),
    houseBalances: (currency: string | undefined) => houseBalances(collections, currency),
  };
}

/** Data of an earlier release, which kept no chain, is refused rather than misread. */
async function assertReadable(accounts: AccountCollections["accounts"]): Promise<void> {
  const older = await accounts.findOne({ schema_version: { $ne: accountSchemaVersion } });
  if (older === null) return;
  throw new Error("accounts of an earlier release: start on an empty database");
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
    schema_version: accountSchemaVersion,
    merchant_id: merchantId,
    currency,
    available: toDecimal128(0n),
    held: toDecimal128(0n),
    sequence: 0,
    head_hash: "",
    recorded_sequence: 0,
    recent: [],
    open_holds: [],
    house: {},
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

/** The open holds of one account. */
export type OpenHolds = {
  readonly accountId: string;
  readonly merchantId: string;
  readonly holds: readonly OpenHold[];
};

/** Holds that are open since before `before`, by account. */
async function* openHolds(
  { accounts }: AccountCollections,
  before: Date,
): AsyncGenerator<OpenHolds> {
  for await (const account of accounts.find({ dirty: true })) {
    const { _id: accountId, merchant_id: merchantId, open_holds } = account;
    const holds = open_holds.filter(({ since }) => since < before);
    if (holds.length > 0) yield { accountId, merchantId, holds };
  }
}
