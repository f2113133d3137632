import { setTimeout as pause } from "node:timers/promises";
import { until } from "@disburse/harness/waiting.ts";
import { createAccountCheck } from "@disburse/invariants/account-check.ts";
import {
  checkDatabase,
  collectionOf,
  type Databases,
} from "@disburse/invariants/database-check.ts";
import type { Finding } from "@disburse/invariants/finding.ts";

/**
 * An account is compacted after it has been idle for 5 s. The compaction is part of the cost of the
 * account's last payout.
 */
const settling = { timeoutMs: 60_000, everyMs: 200 };
/** Time to publish the last payout's events and to mark them as published. */
const restMs = 1_000;

/** Waits until every payout has its outcome, and every account is recorded and at rest. */
export async function untilSettled(databases: Databases): Promise<void> {
  const payouts = collectionOf(databases, "payouts");
  const accounts = collectionOf(databases, "accounts");
  const isSettled = async () =>
    (await payouts.findOne({ work_due_at: { $exists: true } })) === null &&
    (await accounts.findOne({ dirty: true })) === null;
  if (!(await until(isSettled, settling))) throw new Error("payouts were not settled in time");
  await pause(restMs);
}

/**
 * Above this number of payouts, only accounts are checked. Checking all invariants would take
 * minutes.
 */
const checkedMax = 20_000;

/** Checks the raw documents after all payouts are settled: their number and all invariants. */
export async function moneyFaults(
  databases: Databases,
  payoutsExpected: number,
): Promise<string[]> {
  await untilSettled(databases);
  const payouts = await collectionOf(databases, "payouts").countDocuments({});
  const now = new Date();
  const findings =
    payoutsExpected <= checkedMax
      ? (await checkDatabase(databases, { now })).findings
      : await accountFindings(databases, now);
  return [
    ...(payouts === payoutsExpected
      ? []
      : [`payouts (${payouts}) ≠ successful executes and seeded payouts (${payoutsExpected})`]),
    ...findings.map(({ invariant, subject, detail }) => `${invariant}: ${subject} ${detail}`),
  ];
}

export async function accountFindings(databases: Databases, now: Date): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const account of collectionOf(databases, "accounts").find()) {
    const check = createAccountCheck(account);
    const entries = collectionOf(databases, "ledger_entries");
    const chain = entries.find({ account_id: account._id }).sort({ sequence: 1 });
    for await (const entry of chain) check.add(entry);
    findings.push(...check.end(now));
  }
  return findings;
}
