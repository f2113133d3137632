import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { dayOf, readDays } from "@disburse/kernel/days.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Document } from "mongodb";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createActivity, entriesMax } from "./activity.ts";
import { type LedgerDocument, toLedgerEntry } from "./documents.ts";
import type { LedgerStep } from "./rules/account.ts";
import { startTestLedger, type TestLedger } from "./test-ledger.ts";

const merchantId = "mer_1";
const dayMs = 86_400_000;
const now = new Date("2026-11-30T12:00:00.000Z");

let testLedger: TestLedger;
beforeAll(async () => {
  testLedger = await startTestLedger();
});
afterAll(() => testLedger.stop());

function daysOf(from: string, to: string, today = now) {
  const days = readDays(from, to, today);
  if (isRefused(days)) throw new Error(days.detail);
  return days;
}

/** Adds up entries one by one, as a reference. */
function added(entries: readonly LedgerDocument[], days: readonly string[]) {
  let balances = { available: 0n, held: 0n };
  const all = entries.map(toLedgerEntry);
  return days.map((day) => {
    const movements = new Map<LedgerStep, { count: number; sum: bigint }>();
    for (const { createdAt, available, held } of all) {
      if (dayOf(createdAt) <= day) balances = { available, held };
    }
    for (const { step, amount } of all.filter(({ createdAt }) => dayOf(createdAt) === day)) {
      const { count, sum } = movements.get(step) ?? { count: 0, sum: 0n };
      movements.set(step, { count: count + 1, sum: sum + amount });
    }
    return { day, movements, ...balances };
  });
}

const steps = ["credit", "hold", "post", "release", "return"] as const;

/** Stores entries `everyMs` apart. Their balances and amounts are recognisable, not consistent. */
async function seeded(count: number, everyMs: number, stored = count) {
  const accountId = await testLedger.fundedAccount(merchantId, "1.00");
  await testLedger.tidy();
  const { accounts, entries } = testLedger.ledger;
  const [sample] = await entries.find({ account_id: accountId }).toArray();
  if (sample === undefined) throw new Error("the account has no entry");
  await entries.deleteMany({ account_id: accountId });
  const documents = Array.from({ length: stored }, (_, at): LedgerDocument => {
    const sequence = count - at;
    return {
      ...{ ...sample, _id: `${accountId}:${sequence}`, sequence },
      step: steps[(sequence * 7) % steps.length] ?? "credit",
      amount: toDecimal128(9_007_199_254_740_993n + BigInt(sequence)),
      available: toDecimal128(BigInt(sequence)),
      held: toDecimal128(BigInt(2 * sequence)),
      created_at: new Date(now.getTime() - (count - sequence) * everyMs),
    };
  });
  await entries.insertMany(documents);
  await accounts.updateOne(
    { _id: accountId },
    { $set: { sequence: count, recorded_sequence: count, recent: [] } },
  );
  return { accountId, documents: documents.toReversed() };
}

it("sums each day's movements exactly, with the balances at its end", async () => {
  // 12,000 entries in 100 days: three groups, and days before the period.
  const { accountId, documents } = await seeded(12_000, dayMs / 120);
  const activity = createActivity(testLedger.ledger);
  for (const [from, to] of [
    ["2026-08-31", "2026-11-30"],
    ["2026-11-24", ""],
    ["2026-10-01", "2026-10-20"],
    ["2026-06-01", "2026-07-01"],
    ["2026-08-01", "2026-08-31"],
  ] as const) {
    const days = daysOf(from, to);
    const found = await activity({ merchantId, accountId }, days);
    expect(found).toEqual({ currency: "USD", days: added(documents, days.days) });
  }
});

it("includes entries that only the account's document has, and writes nothing", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "100.00");
  await testLedger.tidy();
  const target = { merchantId, accountId };
  await testLedger.ledger.apply(target, { step: "hold", amount: 250n, payoutId: "po_1", note: "" });
  const { accounts, entries } = testLedger.ledger;
  await vi.waitFor(async () => expect(await entries.findOne({ _id: "po_1:hold" })).not.toBeNull());
  await entries.deleteMany({ account_id: accountId, step: "hold" });
  const before = await accounts.findOne({ _id: accountId });
  const days = daysOf("", "", new Date());
  const found = await createActivity(testLedger.ledger)(target, days);
  expect(found).toMatchObject({
    days: expect.arrayContaining([
      {
        day: days.days.at(-1),
        movements: new Map([
          ["credit", { count: 1, sum: 10_000n }],
          ["hold", { count: 1, sum: 250n }],
        ]),
        ...{ available: 9_750n, held: 250n },
      },
    ]),
  });
  expect(await accounts.findOne({ _id: accountId })).toEqual(before);
  expect(await entries.countDocuments({ account_id: accountId })).toBe(1);
});

it("reads a full group once, and the entries of the period alone", async () => {
  const { accountId } = await seeded(12_000, dayMs / 120);
  let reads: Document[] = [];
  const { entries } = testLedger.ledger;
  const watched = new Proxy(entries, {
    get: (target, name) => {
      if (name !== "aggregate") return Reflect.get(target, name);
      return (pipeline: Document[], options: object) => {
        reads.push(pipeline[0]?.$match.sequence);
        return target.aggregate(pipeline, options);
      };
    },
  });
  const activity = createActivity({ ...testLedger.ledger, entries: watched });
  const read = (from: string) => activity({ merchantId, accountId }, daysOf(from, ""));
  await Promise.all([read("2026-08-31"), read("2026-08-31")]);
  expect(new Set(reads.map(({ $gt }) => $gt))).toEqual(new Set([0, 5_000, 10_000]));
  expect(reads).toHaveLength(4);
  reads = [];
  await read("2026-08-31");
  expect(reads).toEqual([{ $gt: 10_000, $lte: 12_000 }]);
  const plan = await entries
    .aggregate(
      [
        { $match: { account_id: accountId, sequence: { $gt: 10_000, $lte: 12_000 } } },
        { $sort: { sequence: 1 } },
      ],
      { hint: "statement" },
    )
    .explain("executionStats");
  expect(JSON.stringify(plan)).toMatch(/"indexName":"statement"/);
  expect(JSON.stringify(plan)).toMatch(/"totalDocsExamined":2000\b/);
  expect(JSON.stringify(plan)).not.toMatch(/"stage":"SORT"/);
});

it("refuses more entries than the maximum before it sums any", async () => {
  const count = entriesMax + 2_000;
  const { accountId, documents } = await seeded(count, 1, 1);
  // Stores only the entries by which the binary search finds the first and the last one.
  const sequences = new Set<number>();
  for (let span = count; span > 0; span = Math.floor(span / 2)) {
    for (const near of [-1, 0, 1]) sequences.add(span + near).add(count + 1 - span + near);
  }
  for (const other of [0, count, count + 1]) sequences.delete(other);
  const { entries } = testLedger.ledger;
  await entries.insertMany(
    [...sequences].map((sequence) => {
      return { ...(documents[0] as LedgerDocument), _id: `${accountId}:${sequence}`, sequence };
    }),
  );
  const activity = createActivity(testLedger.ledger);
  expect(await activity({ merchantId, accountId }, daysOf("2026-11-30", ""))).toBe("too_many");
});

it("finds no account of another merchant", async () => {
  const accountId = await testLedger.fundedAccount(merchantId, "1.00");
  const activity = createActivity(testLedger.ledger);
  expect(await activity({ merchantId: "mer_2", accountId }, daysOf("", ""))).toBeUndefined();
});
