import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { checkDatabase } from "@disburse/invariants/database-check.ts";
import type { Decimal128, Document, MongoClient } from "mongodb";
import type { BenchPlatform } from "./bench-platform.ts";
import { type AccountBook, type Books, moneyFaults, type Step } from "./conservation.ts";

const settleTimeoutMs = 60_000;
const askEveryMs = 200;

/** What is wrong with a platform's money, read from its raw documents when all is settled. */
export async function checkMoney(
  platform: BenchPlatform,
  payoutsExpected: number,
): Promise<string[]> {
  await untilSettled(platform);
  const payouts = platform.db("payout").collection("payouts");
  const ofQuote = { $concat: ["po_", { $substrCP: ["$quote_id", "qt_".length, 64] }] };
  const books: Books = {
    accounts: await readAccounts(platform),
    payouts: await payouts.countDocuments({}),
    strayPayouts: await payouts.countDocuments({ $expr: { $ne: ["$_id", ofQuote] } }),
    claimedQuotes: await platform
      .db("quote")
      .collection("quotes")
      .countDocuments({ state: "claimed" }),
    payoutsExpected,
  };
  return moneyFaults(books);
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
 * it has asked.
 */
export async function untilSettled({ db, merchantId }: BenchPlatform): Promise<number> {
  const giveUpAt = Date.now() + settleTimeoutMs;
  const open = { merchant_id: merchantId, status: "initiated" };
  for (let asked = 1; ; asked += 1) {
    const payout = await db("payout")
      .collection("payouts")
      .findOne(open, {
        projection: { _id: 1 },
      });
    if (payout === null) {
      await new Promise((resolve) => setTimeout(resolve, restMs));
      return asked;
    }
    if (Date.now() > giveUpAt) throw new Error("payouts were not settled in time");
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
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

async function readAccounts({ db }: BenchPlatform): Promise<AccountBook[]> {
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
  return accounts.map((account: Document) => bookOf(account, rows));
}

function bookOf(account: Document, rows: readonly StepRow[]): AccountBook {
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
