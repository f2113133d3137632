import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { countedTotal, countUpToMax } from "@disburse/chassis/paging/page.ts";
import type { Decimal128, Filter } from "mongodb";
import {
  type AccountDocument,
  type LedgerCollections,
  type LedgerDocument,
  toAccount,
  toLedgerEntry,
  toPlatformSums,
} from "./documents.ts";
import { recordCarried } from "./recorder.ts";
import { type LedgerStep, movementKey } from "./rules/account.ts";
import { addPlatformSums, type PlatformSums, postingText } from "./rules/postings.ts";

/** An account and the merchant that must own it. */
export type OwnAccount = { readonly merchantId: string; readonly accountId: string };

/** An entry must meet all given conditions. */
export type EntryFilter = {
  readonly step?: LedgerStep;
  readonly payoutId?: string;
  readonly from?: Date;
  readonly to?: Date;
};

const payoutSteps: readonly LedgerStep[] = ["hold", "post", "release", "return"];

/**
 * Returns a page of a statement, newest entry first and complete up to now. Returns `undefined` for
 * an unknown account. The total count may be capped. Entries are numbered without gaps in order of
 * time, so a time filter becomes a range of numbers.
 */
export async function listEntries(
  collections: LedgerCollections,
  { merchantId, accountId }: OwnAccount,
  filter: EntryFilter,
  {
    beforeSequence,
    limit,
  }: { readonly beforeSequence: number | undefined; readonly limit: number },
) {
  const account = await readRecorded(collections, { merchantId, accountId });
  if (account === undefined) return undefined;
  const { step, payoutId, from, to } = filter;
  const [first, end] = await Promise.all([
    from === undefined ? 1 : firstSequenceFrom(collections, account, from),
    to === undefined ? account.sequence + 1 : firstSequenceFrom(collections, account, to),
  ]);
  const narrowed: Filter<LedgerDocument> = {
    ...(step === undefined ? {} : { step }),
    ...(payoutId === undefined ? {} : ofPayout(payoutId)),
  };
  const within = (below: number): Filter<LedgerDocument> => ({
    account_id: accountId,
    ...narrowed,
    sequence: { $gte: first, $lt: below },
  });
  const isNarrowed = step !== undefined || payoutId !== undefined;
  const [found, counted] = await Promise.all([
    collections.entries
      .find(within(Math.min(end, beforeSequence ?? end)))
      .sort({ sequence: -1 })
      .limit(limit)
      .toArray(),
    isNarrowed
      ? countUpToMax(collections.entries, within(end)).then(countedTotal)
      : { totalCount: BigInt(Math.max(end - first, 0)) },
  ]);
  return { entries: found.map(toLedgerEntry), ...counted };
}

/**
 * Matches the entries of a payout, also those of its later attempts (`holdIdOf`). The full stop
 * comes directly before the slash.
 */
function ofPayout(payoutId: string): Filter<LedgerDocument> {
  const first = payoutSteps.map((each) => movementKey(payoutId, each));
  return { $or: [{ _id: { $in: first } }, { _id: { $gte: `${payoutId}.`, $lt: `${payoutId}/` } }] };
}

/** A range of entry numbers. `end` is exclusive. */
export type EntrySpan = { readonly first: number; readonly end: number };

export type StepTotal = { readonly count: number; readonly sum: bigint };

/**
 * Returns an account's balances before and after a time span, with the range of the entries in
 * between. Returns `undefined` for an unknown account.
 */
export async function readSpan(
  collections: LedgerCollections,
  own: OwnAccount,
  { from, to }: { readonly from: Date; readonly to: Date },
) {
  const account = await readRecorded(collections, own);
  if (account === undefined) return undefined;
  const first = await firstSequenceFrom(collections, account, from);
  const end = await firstSequenceFrom(collections, account, to);
  const [before, after] = await Promise.all([
    balancesAfter(collections, account._id, first - 1),
    balancesAfter(collections, account._id, end - 1),
  ]);
  return { account: toAccount(account), span: { first, end }, before, after };
}

export async function stepTotals(
  { entries }: LedgerCollections,
  accountId: string,
  { first, end }: EntrySpan,
): Promise<ReadonlyMap<LedgerStep, StepTotal>> {
  type Row = { readonly _id: LedgerStep; readonly sum: Decimal128; readonly count: number };
  const rows = await entries
    .aggregate<Row>([
      { $match: { account_id: accountId, sequence: { $gte: first, $lt: end } } },
      { $group: { _id: "$step", sum: { $sum: "$amount" }, count: { $sum: 1 } } },
    ])
    .toArray();
  return new Map(rows.map(({ _id, sum, count }) => [_id, { count, sum: fromDecimal128(sum) }]));
}

export async function entriesOfSpan(
  { entries }: LedgerCollections,
  accountId: string,
  { first, end }: EntrySpan,
  { steps, limit }: { readonly steps: readonly LedgerStep[]; readonly limit: number },
) {
  const sequence = { $gte: first, $lt: end };
  const found = entries.find({ account_id: accountId, sequence, step: { $in: [...steps] } });
  return (await found.sort({ sequence: 1 }).limit(limit).toArray()).map(toLedgerEntry);
}

/** Returns the entries of a payout's hold, oldest first. */
export async function entriesOfHold(
  collections: LedgerCollections,
  own: OwnAccount,
  holdId: string,
) {
  if ((await readRecorded(collections, own)) === undefined) return [];
  const keys = payoutSteps.map((each) => movementKey(holdId, each));
  const found = await collections.entries.find({ _id: { $in: keys } }).toArray();
  return found.map(toLedgerEntry).toSorted((a, b) => a.sequence - b.sequence);
}

/**
 * Returns an account's balances before and after a time span, with the totals of its movements by
 * step. Returns `undefined` for an unknown account.
 */
export async function sumsBetween(
  collections: LedgerCollections,
  own: OwnAccount,
  times: { readonly from: Date; readonly to: Date },
) {
  const found = await readSpan(collections, own, times);
  if (found === undefined) return undefined;
  const { span, before, after } = found;
  const totals = await stepTotals(collections, own.accountId, span);
  return { before, after, sums: new Map([...totals].map(([step, { sum }]) => [step, sum])) };
}

/** Returns the balances after an entry. `sequence` 0 returns zero balances. */
export async function balancesAfter(
  collections: LedgerCollections,
  accountId: string,
  sequence: number,
) {
  if (sequence === 0) return { available: 0n, held: 0n };
  const { available, held } = toLedgerEntry(await entryAt(collections, accountId, sequence));
  return { available, held };
}

/**
 * Returns the account as it was after the last entry at or before `time`. Returns `undefined` if
 * the account was opened later.
 */
export async function readAccountAsOf(collections: LedgerCollections, own: OwnAccount, time: Date) {
  const account = await readRecorded(collections, own);
  if (account === undefined || time < account.created_at) return undefined;
  const next = await firstSequenceFrom(collections, account, new Date(time.getTime() + 1));
  const now = toAccount(account);
  if (next === 1) return { ...now, available: 0n, held: 0n, updatedAt: now.createdAt };
  const last = await entryAt(collections, account._id, next - 1);
  const { available, held, createdAt } = toLedgerEntry(last);
  return { ...now, available, held, updatedAt: createdAt };
}

/** Reads an account, and first records all its entries in the ledger. */
async function readRecorded(collections: LedgerCollections, { merchantId, accountId }: OwnAccount) {
  const account = await collections.accounts.findOne({ _id: accountId, merchant_id: merchantId });
  if (account === null) return undefined;
  await recordCarried(collections.entries, [account]);
  return account;
}

/** Finds the number of the first entry at or after a time, by binary search. */
export async function firstSequenceFrom(
  collections: LedgerCollections,
  account: Pick<AccountDocument, "_id" | "sequence">,
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

async function entryAt({ entries }: LedgerCollections, accountId: string, sequence: number) {
  const found = await entries.findOne({ account_id: accountId, sequence });
  if (found === null) throw new Error(`account ${accountId} has no ledger entry ${sequence}`);
  return found;
}

/**
 * Returns the balances of the platform accounts as signed decimal text, by currency and account.
 * Omit `currency` for all.
 */
export async function platformBalances(
  { accounts }: LedgerCollections,
  currency: string | undefined,
) {
  let total: PlatformSums = {};
  for await (const document of accounts.find({}, { projection: { platform: 1 } })) {
    total = addPlatformSums(total, toPlatformSums(document));
  }
  const rows = Object.entries(total).map(([name, sum]) => {
    const [account = "", of = ""] = name.split("/");
    return [of, account, postingText(sum)] as const;
  });
  return rows
    .toSorted()
    .map(([of, account, balance]) => ({ account, currency: of, balance }))
    .filter((each) => currency === undefined || each.currency === currency);
}
