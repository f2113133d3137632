import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { countedTotal, countUpToMax } from "@disburse/chassis/paging/page.ts";
import type { Decimal128, Filter } from "mongodb";
import {
  type AccountDocument,
  type LedgerCollections,
  type LedgerDocument,
  toAccount,
  toHouseSums,
  toLedgerEntry,
} from "./documents.ts";
import { recordAccount } from "./recorder.ts";
import { type LedgerStep, movementKey } from "./rules/account.ts";
import { addHouseSums, type HouseSums, postingText } from "./rules/postings.ts";

/** An account and the merchant that it has to belong to. */
export type OwnAccount = { readonly merchantId: string; readonly accountId: string };

/** The conditions of a statement; all that are given must hold. */
export type EntryFilter = {
  readonly step?: LedgerStep;
  readonly payoutId?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
};

const payoutSteps: readonly LedgerStep[] = ["hold", "post", "release", "return"];

/**
 * A page of a statement, newest first, complete up to this moment, with the count of all pages,
 * which may be capped. `undefined`: no such account. Entries are numbered without gap and in the
 * order of their times, so a time is a number.
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
    ...(payoutId === undefined
      ? {}
      : { _id: { $in: payoutSteps.map((each) => movementKey(payoutId, each)) } }),
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
 * An account before and after a span of time, and the sums of its movements within by their steps.
 * `undefined`: no such account.
 */
export async function sumsBetween(
  collections: LedgerCollections,
  own: OwnAccount,
  { from, to }: { readonly from: Date; readonly to: Date },
) {
  const account = await readRecorded(collections, own);
  if (account === undefined) return undefined;
  const first = await firstSequenceFrom(collections, account, from);
  const end = await firstSequenceFrom(collections, account, to);
  type Row = { readonly _id: LedgerStep; readonly sum: Decimal128 };
  const rows = collections.entries.aggregate<Row>([
    { $match: { account_id: own.accountId, sequence: { $gte: first, $lt: end } } },
    { $group: { _id: "$step", sum: { $sum: "$amount" } } },
  ]);
  const [found, before, after] = await Promise.all([
    rows.toArray(),
    balancesAfter(collections, account, first - 1),
    balancesAfter(collections, account, end - 1),
  ]);
  const sums = new Map(found.map(({ _id, sum }) => [_id, fromDecimal128(sum)] as const));
  return { before, after, sums };
}

async function balancesAfter(
  collections: LedgerCollections,
  { _id }: AccountDocument,
  sequence: number,
) {
  if (sequence === 0) return { available: 0n, held: 0n };
  return toLedgerEntry(await entryAt(collections, _id, sequence));
}

/** An account as it was at a time, after the last entry made by then; `undefined`: none yet. */
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

/** The account as it was read, with all its entries of that moment in the ledger. */
async function readRecorded(collections: LedgerCollections, { merchantId, accountId }: OwnAccount) {
  const account = await collections.accounts.findOne({ _id: accountId, merchant_id: merchantId });
  if (account === null) return undefined;
  if (account.recent.length > 0) await recordAccount(collections, account);
  return account;
}

/** The number of the first entry at a time or later, by binary search. */
async function firstSequenceFrom(
  collections: LedgerCollections,
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

async function entryAt({ entries }: LedgerCollections, accountId: string, sequence: number) {
  const found = await entries.findOne({ account_id: accountId, sequence });
  if (found === null) throw new Error("a statement with a gap");
  return found;
}

/** The house's balances, signed decimal text, of one currency or all, by currency and account. */
export async function houseBalances({ accounts }: LedgerCollections, currency: string | undefined) {
  let total: HouseSums = {};
  for await (const document of accounts.find({}, { projection: { house: 1 } })) {
    total = addHouseSums(total, toHouseSums(document));
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
