import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { type Days, dayOf } from "@disburse/kernel/days.ts";
import { LRUCache } from "lru-cache";
import type { Decimal128 } from "mongodb";
import type { LedgerCollections, RecentEntry } from "./documents.ts";
import type { LedgerStep } from "./rules/account.ts";
import { balancesAfter, firstSequenceFrom, type OwnAccount, type StepTotal } from "./statement.ts";

/**
 * Entries in one read, which takes about 25 ms. A full group never changes, so its sums are read
 * once per process.
 */
const groupSize = 5_000;
/** Entries of one request. Reading them all takes about 5 s, once per process. */
export const entriesMax = 1_000_000;
/** Sums kept in memory: about 25 MB. */
const sumsMax = 100_000;
const readMaxMs = 5_000;

/** The movements of one kind on one UTC day, with the balances after the last one. */
type StepSums = StepTotal & {
  readonly day: string;
  readonly step: LedgerStep;
  readonly last: number;
  readonly available: bigint;
  readonly held: bigint;
};

export type DayActivity = {
  readonly day: string;
  readonly movements: ReadonlyMap<LedgerStep, StepTotal>;
  /** The balances at the end of the day. */
  readonly available: bigint;
  readonly held: bigint;
};

/**
 * Sums an account's entries by UTC day. It only reads: entries that are not yet in the ledger are
 * taken from the account's document, which has all of them.
 */
export function createActivity(collections: LedgerCollections) {
  const groups = new LRUCache<string, readonly StepSums[]>({
    maxSize: sumsMax,
    ignoreFetchAbort: true,
    sizeCalculation: ({ length }) => length + 1,
    fetchMethod: (key) => {
      const [accountId = "", group] = key.split("/");
      const after = Number(group) * groupSize;
      return readSums(collections, accountId, { after, to: after + groupSize });
    },
  });
  const sumsOf = async (accountId: string, span: { after: number; to: number }) => {
    const found: (readonly StepSums[])[] = [];
    for (let { after } = span; after < span.to; after += groupSize) {
      const isFull = after + groupSize <= span.to;
      const read = isFull
        ? groups.forceFetch(`${accountId}/${after / groupSize}`)
        : readSums(collections, accountId, { after, to: span.to });
      found.push(await read);
    }
    return found.flat();
  };
  return async (
    { merchantId, accountId }: OwnAccount,
    { days, start, end }: Days,
  ): Promise<
    { readonly currency: string; readonly days: DayActivity[] } | "too_many" | undefined
  > => {
    const account = await collections.accounts.findOne({ _id: accountId, merchant_id: merchantId });
    if (account === null) return undefined;
    const recorded = { _id: accountId, sequence: account.recorded_sequence };
    const [first, next] = await Promise.all([
      firstSequenceFrom(collections, recorded, start),
      firstSequenceFrom(collections, recorded, end),
    ]);
    const after = groupsBefore(first);
    // A later day of the last group is ignored below. Only full groups are kept.
    const to = Math.min(groupsBefore(next) + groupSize, recorded.sequence);
    if (to - after > entriesMax) return "too_many";
    const [opening, sums] = await Promise.all([
      balancesAfter(collections, accountId, after),
      sumsOf(accountId, { after, to }),
    ]);
    const unrecorded = account.recent.filter(({ sequence }) => sequence > recorded.sequence);
    const all = [...sums, ...unrecorded.map(sumsOfOne)];
    return { currency: account.currency, days: byDay(days, opening, all) };
  };
}

/** Returns the last sequence before the group of an entry. */
const groupsBefore = (sequence: number) => Math.floor((sequence - 1) / groupSize) * groupSize;

async function readSums(
  { entries }: LedgerCollections,
  accountId: string,
  { after, to }: { readonly after: number; readonly to: number },
): Promise<StepSums[]> {
  type Row = {
    readonly _id: { readonly day: Date; readonly step: LedgerStep };
    readonly count: number;
    readonly last: number;
  } & Readonly<Record<"sum" | "available" | "held", Decimal128>>;
  const rows = await entries
    .aggregate<Row>(
      [
        { $match: { account_id: accountId, sequence: { $gt: after, $lte: to } } },
        { $sort: { sequence: 1 } },
        {
          $group: {
            _id: { day: { $dateTrunc: { date: "$created_at", unit: "day" } }, step: "$step" },
            count: { $sum: 1 },
            sum: { $sum: "$amount" },
            last: { $last: "$sequence" },
            available: { $last: "$available" },
            held: { $last: "$held" },
          },
        },
      ],
      { hint: "statement", maxTimeMS: readMaxMs },
    )
    .toArray();
  return rows.map(({ _id: { day, step }, count, last, sum, available, held }) => ({
    day: dayOf(day),
    step,
    count,
    last,
    sum: fromDecimal128(sum),
    available: fromDecimal128(available),
    held: fromDecimal128(held),
  }));
}

function sumsOfOne({ step, amount, available, held, sequence, created_at }: RecentEntry): StepSums {
  return {
    day: dayOf(created_at),
    step,
    count: 1,
    last: sequence,
    sum: fromDecimal128(amount),
    available: fromDecimal128(available),
    held: fromDecimal128(held),
  };
}

function byDay(
  days: readonly string[],
  opening: { readonly available: bigint; readonly held: bigint },
  sums: readonly StepSums[],
): DayActivity[] {
  const rest = sums.toSorted((one, two) => one.last - two.last);
  let [balances, at] = [opening, 0];
  return days.map((day) => {
    const movements = new Map<LedgerStep, StepTotal>();
    for (let next = rest[at]; next !== undefined && next.day <= day; next = rest[++at]) {
      balances = next;
      if (next.day < day) continue;
      const { count, sum } = movements.get(next.step) ?? { count: 0, sum: 0n };
      movements.set(next.step, { count: count + next.count, sum: sum + next.sum });
    }
    return { day, movements, available: balances.available, held: balances.held };
  });
}
