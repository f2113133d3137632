import { countMax } from "@disburse/chassis/paging/record-page.ts";
import type { Filter } from "mongodb";
import {
  type AccountCollections,
  type AccountDocument,
  type LedgerDocument,
  toAccount,
  toLedgerEntry,
} from "./documents.ts";
import { recordAccount } from "./recorder.ts";
import { type Account, type LedgerEntry, type LedgerStep, movementKey } from "./rules/account.ts";

/** A merchant's account. */
export type OwnAccount = { readonly merchantId: string; readonly accountId: string };

/** What a statement is narrowed to; all that is given must hold. */
export type EntryFilter = {
  readonly step?: LedgerStep;
  readonly payoutId?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
};

export type EntryPage = {
  readonly entries: readonly LedgerEntry[];
  /** Of all pages. */
  readonly count: number;
  /** The entries had to be counted, and there are more than were. */
  readonly isCapped: boolean;
};

const payoutSteps: readonly LedgerStep[] = ["hold", "post", "release", "return"];

/**
 * A page of a statement, newest first, complete up to this moment. `undefined`: no such account.
 * Entries are numbered without gap and in the order of their times, so a time is a number.
 */
export async function listEntries(
  collections: AccountCollections,
  { merchantId, accountId }: OwnAccount,
  filter: EntryFilter,
  { beforeSequence, limit }: { readonly beforeSequence?: number; readonly limit: number },
): Promise<EntryPage | undefined> {
  const account = await readRecorded(collections, { merchantId, accountId });
  if (account === undefined) return undefined;
  const { step, payoutId, from, to } = filter;
  const [first, end] = await Promise.all([
    from === undefined ? 1 : firstSequenceFrom(collections, account, from),
    to === undefined ? account.sequence + 1 : firstSequenceFrom(collections, account, to),
  ]);
  const narrowed: Filter<LedgerDocument> = {
    ...(step === undefined ? {} : { step }),
    ...(payoutId === undefined
      ? {}
      : { _id: { $in: payoutSteps.map((each) => movementKey(payoutId, each)) } }),
  };
  const within = (below: number): Filter<LedgerDocument> => ({
    account_id: accountId,
    merchant_id: merchantId,
    ...narrowed,
    sequence: { $gte: first, $lt: below },
  });
  const { ledger } = collections;
  const isNarrowed = Object.keys(narrowed).length > 0;
  const [entries, count] = await Promise.all([
    ledger
      .find(within(Math.min(end, beforeSequence ?? end)))
      .sort({ sequence: -1 })
      .limit(limit)
      .toArray(),
    isNarrowed
      ? ledger.countDocuments(within(end), { limit: countMax + 1 })
      : Math.max(end - first, 0),
  ]);
  const isCapped = isNarrowed && count > countMax;
  return { entries: entries.map(toLedgerEntry), count: isCapped ? countMax : count, isCapped };
}

/** An account as it was at a time, after the last entry made by then; `undefined`: none yet. */
export async function readAccountAsOf(
  collections: AccountCollections,
  own: OwnAccount,
  time: Date,
): Promise<Account | undefined> {
  const account = await readRecorded(collections, own);
  if (account === undefined || time < account.created_at) return undefined;
  const next = await firstSequenceFrom(collections, account, new Date(time.getTime() + 1));
  const now = toAccount(account);
  if (next === 1) return { ...now, available: 0n, held: 0n, updatedAt: now.createdAt };
  const last = await entryAt(collections, account._id, next - 1);
  const { available, held, createdAt } = toLedgerEntry(last);
  return { ...now, available, held, updatedAt: createdAt };
}

/** The account as it was read, all its entries of that moment in the ledger. */
async function readRecorded(
  collections: AccountCollections,
  { merchantId, accountId }: OwnAccount,
): Promise<AccountDocument | undefined> {
  const account = await collections.accounts.findOne({ _id: accountId, merchant_id: merchantId });
  if (account === null) return undefined;
  if (account.recent.length > 0) await recordAccount(collections, account);
  return account;
}

/** The number of the first entry that was made at a time or later, by halving. */
async function firstSequenceFrom(
  collections: AccountCollections,
  account: AccountDocument,
  time: Date,
): Promise<number> {
  let low = 1;
  let high = account.sequence + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { created_at } = await entryAt(collections, account._id, middle);
    if (created_at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function entryAt(
  { ledger }: AccountCollections,
  accountId: string,
  sequence: number,
): Promise<LedgerDocument> {
  const found = await ledger.findOne({ account_id: accountId, sequence });
  if (found === null) throw new Error("a statement with a gap");
  return found;
}
