import { setTimeout as pause } from "node:timers/promises";
import { until } from "@disburse/harness/waiting.ts";
import { createAccountCheck } from "@disburse/invariants/account-check.ts";
import { checkDatabase, collectionOf } from "@disburse/invariants/database-check.ts";
import type { Finding } from "@disburse/invariants/finding.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";

const settling = { timeoutMs: 60_000, everyMs: 200 };

/** What is wrong with a platform's money, read from its raw documents when all is settled. */
export async function checkMoney(
  platform: BenchPlatform,
  payoutsExpected: number,
): Promise<string[]> {
  await untilSettled(platform);
  const { databases } = platform;
  const payouts = collectionOf(databases, "payouts");
  const entries = collectionOf(databases, "ledger_entries");
  const ofQuote = { $concat: ["po_", { $substrCP: ["$order.quote_id", "qt_".length, 64] }] };
  const faults = payoutFaults({
    payouts: await payouts.countDocuments({}),
    strayPayouts: await payouts.countDocuments({ $expr: { $ne: ["$_id", ofQuote] } }),
    claimedQuotes: await collectionOf(databases, "quotes").countDocuments({ state: "claimed" }),
    holds: await entries.countDocuments({ step: "hold" }),
    releases: await entries.countDocuments({ step: "release" }),
    payoutsExpected,
  });
  for await (const account of collectionOf(databases, "accounts").find()) {
    const check = createAccountCheck(account);
    const chain = entries.find({ account_id: account._id }).sort({ sequence: 1 });
    for await (const entry of chain) check.add(entry);
    faults.push(...check.end(new Date()).map(lineOf));
  }
  return faults;
}

/** What the invariants find wrong with a platform's raw documents when all is settled. */
export async function checkInvariants(platform: BenchPlatform): Promise<string[]> {
  await untilSettled(platform);
  return (await checkDatabase(platform.databases, { now: new Date() })).findings.map(lineOf);
}

function lineOf({ invariant, subject, detail }: Finding): string {
  return `${invariant}: ${subject} ${detail}`;
}

/**
 * Waits until every payout has its outcome and every movement is in the ledger; answers how often
 * it has polled.
 */
export async function untilSettled({ databases, merchantId }: BenchPlatform): Promise<number> {
  const payouts = collectionOf(databases, "payouts");
  const open = { merchant_id: merchantId, status: "initiated" } as const;
  let polls = 0;
  const isSettled = async () => {
    polls += 1;
    return (await payouts.findOne(open, { projection: { _id: 1 } })) === null;
  };
  if (!(await until(isSettled, settling))) throw new Error("payouts were not settled in time");
  await pause(restMs);
  return polls;
}

/** After the last payout, its event goes out, it is counted, and its movements are recorded. */
const restMs = 1_000;

/** A platform's payouts, counted in the raw documents of its services. */
export type PlatformTotals = {
  readonly payouts: number;
  /** Payouts whose id is not the one that follows from their quote: a quote has one id of one. */
  readonly strayPayouts: number;
  readonly claimedQuotes: number;
  readonly holds: number;
  /** Holds that were released before a payout. */
  readonly releases: number;
  /** Successful executes and seeded payouts. */
  readonly payoutsExpected: number;
};

/** What is wrong where a quote has no payout or two, or a payout no hold; else nothing. */
export function payoutFaults(totals: PlatformTotals): string[] {
  const { payouts, strayPayouts, claimedQuotes, holds, releases, payoutsExpected } = totals;
  return [
    ...unequal("payouts made", payouts, "successful executes and seeded ones", payoutsExpected),
    ...unequal("payouts", payouts, "claimed quotes", claimedQuotes),
    ...unequal("payouts", payouts, "holds less those released before a payout", holds - releases),
    ...(strayPayouts === 0 ? [] : [`${strayPayouts} payouts do not have the id of their quote`]),
  ];
}

function unequal(name: string, is: number, other: string, should: number): string[] {
  return is === should ? [] : [`${name} (${is}) ≠ ${other} (${should})`];
}
