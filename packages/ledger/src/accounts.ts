import { type CountRead, createCache } from "@disburse/chassis/cache.ts";
import { type Database, fromDecimal128, toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { insertOnce, insertOrFind } from "@disburse/chassis/mongo/once.ts";
import { findCountedPage, oldestFirst, type PageRequest } from "@disburse/chassis/paging/page.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { newId } from "@disburse/kernel/id.ts";
import {
  type AccountDocument,
  accountSchemaVersion,
  type LedgerCollections,
  type LedgerDocument,
  toAccount,
} from "./documents.ts";
import { type Account, movementKey, type StatusCounts } from "./rules/account.ts";
import { reservationKeys } from "./rules/movement.ts";
import { createAccountWriter, type WatchWrites } from "./writer.ts";

/** Accounts and their entries. Only `apply` moves money. */
export type Ledger = ReturnType<typeof openLedger>;

/**
 * Opens the collections. Each account is one document with its balances, so each write is atomic.
 */
export function openLedger({ db }: Database, watch?: WatchWrites) {
  const accounts = db.collection<AccountDocument>("accounts");
  const entries = db.collection<LedgerDocument>("ledger_entries");
  const collections = { accounts, entries };
  return { ...collections, ...createAccountWriter(collections, watch) };
}

/** Opens an empty account. A repeat returns the first one. */
export async function openAccount(
  { accounts }: LedgerCollections,
  opening: Opening,
  now: Date,
): Promise<Account> {
  const { merchantId, operationId } = opening;
  const document = newAccount({ id: newId("account", now), ...opening }, now);
  const repeat = { merchant_id: merchantId, operation_id: operationId };
  return toAccount(await insertOrFind(accounts, document, repeat));
}

type Opening = Change & { readonly merchantId: string; readonly currency: string };

function newAccount(of: Opening & { readonly id: string }, now: Date): AccountDocument {
  return {
    _id: of.id,
    schema_version: accountSchemaVersion,
    revision: 0,
    merchant_id: of.merchantId,
    currency: of.currency,
    available: toDecimal128(0n),
    held: toDecimal128(0n),
    counts: noPayouts,
    sequence: 0,
    head_hash: "",
    recorded_sequence: 0,
    recent: [],
    open_holds: [],
    platform: {},
    operation_id: of.operationId,
    actor: of.actor,
    created_at: now,
    updated_at: now,
  };
}

const noPayouts: StatusCounts = { initiated: 0, succeeded: 0, failed: 0 };

const totalFreshMs = 500;
const merchantsMax = 10_000;

/** `hasWaited` is true if one of the merchant's payouts has ever waited for balance. */
export type MerchantCounts = StatusCounts & { readonly hasWaited: boolean };

/**
 * Counts a merchant's payouts by status, over all its accounts. A count is at most half a second
 * old.
 */
export type PayoutCounts = Pick<ReturnType<typeof openPayoutCounts>, "of">;

export function openPayoutCounts(
  { accounts }: Pick<LedgerCollections, "accounts">,
  countRead?: CountRead,
) {
  const totals = createCache<MerchantCounts>({
    name: "payout_counts",
    max: merchantsMax,
    freshMs: totalFreshMs,
    countRead,
    read: async (merchantId) => {
      const projection = { counts: 1, has_waited: 1 };
      const own = await accounts.find({ merchant_id: merchantId }, { projection }).toArray();
      const sum = own.reduce((so, { counts }) => added(so, counts), noPayouts);
      return { ...sum, hasWaited: own.some(({ has_waited }) => has_waited === true) };
    },
  });
  return { of: async (merchantId: string) => (await totals.get(merchantId)) ?? nothingCounted };
}

const nothingCounted: MerchantCounts = { initiated: 0, succeeded: 0, failed: 0, hasWaited: false };

function added(one: StatusCounts, other: StatusCounts): StatusCounts {
  return {
    initiated: one.initiated + other.initiated,
    succeeded: one.succeeded + other.succeeded,
    failed: one.failed + other.failed,
  };
}

/** The owner of the rail accounts. No merchant may have this id. */
export const platformMerchantId = "platform";

/** Opens a rail's account in a currency. A repeat returns the existing account. */
export async function openRailAccount(
  { accounts }: LedgerCollections,
  opening: Omit<Opening, "merchantId"> & { readonly id: string; readonly rail: string },
  now: Date,
): Promise<void> {
  const { rail, ...of } = opening;
  const account = newAccount({ ...of, merchantId: platformMerchantId }, now);
  await insertOnce(accounts, { ...account, rail });
}

export async function findRailAccount({ accounts }: LedgerCollections, id: string) {
  const found = await accounts.findOne({ _id: id, merchant_id: platformMerchantId });
  return found === null ? undefined : toAccount(found);
}

/** Lists the accounts of one rail or of all. */
export async function listRailAccounts(
  { accounts }: Pick<LedgerCollections, "accounts">,
  rail?: string,
) {
  const found = await accounts
    .find({ merchant_id: platformMerchantId, ...(rail !== undefined && { rail }) })
    .toArray();
  return found.map((each) => ({ ...toAccount(each), rail: each.rail ?? "" }));
}

export async function readAccount({ accounts }: LedgerCollections, merchantId: string, id: string) {
  const found = await accounts.findOne({ _id: id, merchant_id: merchantId });
  return found === null ? undefined : toAccount(found);
}

/** Finds an account of any merchant, or of a rail. */
export async function findAccount({ accounts }: LedgerCollections, id: string) {
  const found = await accounts.findOne({ _id: id });
  return found === null ? undefined : toAccount(found);
}

/** Lists the accounts of one merchant or of all, oldest first. Rail accounts are left out. */
export async function listAccounts(
  { accounts }: LedgerCollections,
  merchantId: string | undefined,
  page: PageRequest,
) {
  const own = { merchant_id: merchantId ?? { $ne: platformMerchantId } };
  const { shown, ...rest } = await findCountedPage(accounts, own, page, { order: oldestFirst });
  return { accounts: shown.map(toAccount), ...rest };
}

/** Returns true if the money of a hold is held and not released, or is reserved for its order. */
export async function isHeld(
  collections: LedgerCollections,
  accountId: string,
  holdId: string,
  reservedFor?: string,
): Promise<boolean> {
  const spans = [[movementKey(holdId, "hold"), movementKey(holdId, "release")]];
  if (reservedFor !== undefined) spans.push(reservationKeys(reservedFor));
  const isOpen = async () => {
    const keys = await readKeys(collections, accountId, spans.flat());
    return spans.some(([begin = "", end = ""]) => keys.has(begin) && !keys.has(end));
  };
  if (await isOpen()) return true;
  // One write ends the reservation and begins the hold. If it came between the two reads, the
  // ledger may have shown the end alone. The account of a second reading has both.
  return reservedFor !== undefined && (await isOpen());
}

/** Returns those of the keys whose entries are in the account or in the ledger. */
async function readKeys(
  { accounts, entries }: LedgerCollections,
  accountId: string,
  among: readonly string[],
): Promise<ReadonlySet<string>> {
  // The account is read before the ledger. An entry that was removed from the account is in the
  // ledger by then.
  const account = await accounts.findOne({ _id: accountId });
  const recorded = await entries.find({ _id: { $in: [...among] } }).toArray();
  const recent = account?.recent.map(({ key }) => key) ?? [];
  return new Set([...recorded.map(({ _id }) => _id), ...recent]);
}

/** Reads the amount of an entry. The entry is in its account until it is recorded in the ledger. */
export async function entryAmount(
  { accounts, entries }: LedgerCollections,
  { merchantId, accountId }: { readonly merchantId: string; readonly accountId: string },
  key: string,
) {
  const account = await accounts.findOne({ _id: accountId, merchant_id: merchantId });
  if (account === null) return undefined;
  const recorded = await entries.findOne({ _id: key, account_id: accountId });
  const found = recorded ?? account.recent.find((each) => each.key === key);
  if (found === undefined || found === null) return undefined;
  return { currency: account.currency, amount: fromDecimal128(found.amount) };
}
