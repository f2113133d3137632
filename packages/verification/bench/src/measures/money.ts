import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { checkDatabase } from "@disburse/invariants/database-check.ts";
import type { Decimal128, Document, MongoClient } from "mongodb";
import type { BenchPlatform } from "../platforms/bench-platform.ts";

const settleTimeoutMs = 60_000;
const pollEveryMs = 200;

/** What is wrong with a platform's money, read from its raw documents when all is settled. */
export async function checkMoney(
  platform: BenchPlatform,
  payoutsExpected: number,
): Promise<string[]> {
  await untilSettled(platform);
  const payouts = platform.db("payout").collection("payouts");
  const quotes = platform.db("quote").collection("quotes");
  const ofQuote = { $concat: ["po_", { $substrCP: ["$quote_id", "qt_".length, 64] }] };
  const totals: PlatformTotals = {
    accounts: await readAccounts(platform),
    payouts: await payouts.countDocuments({}),
    strayPayouts: await payouts.countDocuments({ $expr: { $ne: ["$_id", ofQuote] } }),
    claimedQuotes: await quotes.countDocuments({ state: "claimed" }),
    payoutsExpected,
  };
  return moneyFaults(totals);
}

/** What the invariants find wrong with a platform's raw documents when all is settled. */
export async function checkInvariants(
  platform: BenchPlatform,
  client: MongoClient,
): Promise<string[]> {
  await untilSettled(platform);
  const databases = { client, prefix: platform.options.databasePrefix };
  const { findings } = await checkDatabase(databases, { now: new Date() });
  return findings.map(({ invariant, subject, detail }) => `${invariant}: ${subject} ${detail}`);
}

/**
 * Waits until every payout has its outcome and every movement is in the ledger; answers how often
 * it has polled.
 */
export async function untilSettled({ db, merchantId }: BenchPlatform): Promise<number> {
  const giveUpAt = Date.now() + settleTimeoutMs;
  const payouts = db("payout").collection("payouts");
  const open = { merchant_id: merchantId, status: "initiated" };
  for (let polls = 1; ; polls += 1) {
    const payout = await payouts.findOne(open, { projection: { _id: 1 } });
    if (payout === null) {
      await new Promise((resolve) => setTimeout(resolve, restMs));
      return polls;
    }
    if (Date.now() > giveUpAt) throw new Error("payouts were not settled in time");
    await new Promise((resolve) => setTimeout(resolve, pollEveryMs));
  }
}

/** After the last payout, its event goes out, it is counted, and its movements are recorded. */
const restMs = 1_000;

type StepRow = {
  _id: { account: string; step: Step };
  count: number;
  amount: Decimal128;
  last: number;
};

async function readAccounts({ db }: BenchPlatform): Promise<AccountTotals[]> {
  const rows = await db("payout")
    .collection("ledger_entries")
    .aggregate<StepRow>([
      {
        $group: {
          _id: { account: "$account_id", step: "$step" },
          count: { $sum: 1 },
          amount: { $sum: "$amount" },
          last: { $max: "$sequence" },
        },
      },
    ])
    .toArray();
  const accounts = await db("payout").collection<{ _id: string }>("accounts").find().toArray();
  return accounts.map((account: Document) => totalsOf(account, rows));
}

function totalsOf(account: Document, rows: readonly StepRow[]): AccountTotals {
  const own = rows.filter(({ _id }) => _id.account === account._id);
  const steps = own.map(({ _id, count, amount }) => {
    return [_id.step, { count, amount: fromDecimal128(amount) }] as const;
  });
  return {
    id: account._id,
    available: fromDecimal128(account.available),
    held: fromDecimal128(account.held),
    sequence: account.sequence,
    ledgerSequence: Math.max(0, ...own.map(({ last }) => last)),
    steps: Object.fromEntries(steps),
  };
}

/** A kind of entry of a ledger with all its amounts added up, in minor units. */
type StepTotal = { readonly count: number; readonly amount: bigint };

type Step = "credit" | "hold" | "post" | "release" | "return";

/** One account as its own documents have it. */
export type AccountTotals = {
  readonly id: string;
  readonly available: bigint;
  readonly held: bigint;
  /** Of its last movement. */
  readonly sequence: number;
  /** The highest sequence of its ledger. */
  readonly ledgerSequence: number;
  readonly steps: Readonly<Partial<Record<Step, StepTotal>>>;
};

/** A platform's money and payouts, counted in the raw documents of its services. */
export type PlatformTotals = {
  readonly accounts: readonly AccountTotals[];
  readonly payouts: number;
  /** Payouts whose id is not the one that follows from their quote: a quote has one id of one. */
  readonly strayPayouts: number;
  readonly claimedQuotes: number;
  /** Successful executes and seeded payouts. */
  readonly payoutsExpected: number;
};

/**
 * What is wrong with a platform's money; nothing when it is conserved: of each account opening (0)
 * + credits − debits = available + held, exactly, no movement is missing, and each quote has at
 * most one payout.
 */
export function moneyFaults(totals: PlatformTotals): string[] {
  const { payouts, strayPayouts, claimedQuotes, payoutsExpected } = totals;
  const released = countOf(totals, "release");
  const held = countOf(totals, "hold");
  return [
    ...totals.accounts.flatMap(accountFaults),
    ...unequal("payouts made", payouts, "successful executes and seeded ones", payoutsExpected),
    ...unequal("payouts", payouts, "claimed quotes", claimedQuotes),
    ...unequal("payouts", payouts, "holds less those released before a payout", held - released),
    ...(strayPayouts === 0 ? [] : [`${strayPayouts} payouts do not have the id of their quote`]),
  ];
}

function accountFaults({ id, available, held, sequence, ledgerSequence, steps }: AccountTotals) {
  const amount = (step: Step) => steps[step]?.amount ?? 0n;
  const heldNow = amount("hold") - amount("post") - amount("release");
  const owned = amount("credit") + amount("return") - amount("post");
  const entries = Object.values(steps).reduce((sum, { count }) => sum + count, 0);
  return [
    ...unequal(`${id}: credits less debits`, owned, "available and held", available + held),
    ...unequal(`${id}: holds that are open`, heldNow, "held", held),
    ...unequal(`${id}: ledger entries`, entries, "last sequence", sequence),
    ...unequal(`${id}: ledger's last sequence`, ledgerSequence, "last sequence", sequence),
    ...(available < 0n || held < 0n ? [`${id}: a balance is below zero`] : []),
  ];
}

function countOf({ accounts }: PlatformTotals, step: Step): number {
  return accounts.reduce((sum, { steps }) => sum + (steps[step]?.count ?? 0), 0);
}

function unequal<T extends number | bigint>(name: string, is: T, other: string, should: T) {
  return is === should ? [] : [`${name} (${is}) ≠ ${other} (${should})`];
}
