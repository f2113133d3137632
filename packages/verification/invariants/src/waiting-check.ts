import { overdueMs } from "./account-check.ts";
import type { Payout, StoredEvent, Waiting } from "./documents.ts";
import { payoutEvents } from "./event-check.ts";
import { minorOf } from "./exact.ts";
import { expectationsOf, type Finding } from "./finding.ts";

const open: ReadonlySet<string> = new Set(["waiting", "awaiting_approval"]);
const ended: ReadonlySet<string> = new Set(["failed", "cancelled"]);

/**
 * Checks a payout that waits, or has waited, for its account's balance. It has a payout if it was
 * executed, at no higher price than its maximum, and none otherwise.
 */
export function checkWaiting(
  record: Waiting,
  payout: Payout | undefined,
  events: readonly StoredEvent[],
  now: Date,
): Finding[] {
  const { findings, expect } = expectationsOf(record._id);
  const { state, balance, due_at } = record;
  const overdue = now.getTime() - overdueMs;
  const { waited } = payout?.order ?? {};
  if (state === "executed") {
    expect(5, payout !== undefined, "was executed, but its payout does not exist");
    expect(3, record.payout_id === record._id, "was executed as another payout");
  } else if (state !== "waiting") {
    expect(3, payout === undefined, `is ${state}, but its payout exists`);
  }
  if (payout !== undefined) {
    expect(3, waited?.payout_id === record._id, "its payout is not one of its attempts");
    const isWithin = minorOf(payout.source_minor) <= minorOf(record.max_source_minor);
    expect(3, isWithin, "was paid above its maximum");
    expect(12, payout.merchant_id === record.merchant_id, "is of another merchant than its payout");
  }
  const isOver = balance.expires_at.getTime() < overdue;
  expect(5, !(open.has(state) && isOver), `is ${state} after it has expired`);
  const isLate = due_at !== undefined && due_at.getTime() < overdue;
  expect(5, !(open.has(state) && isLate), `is ${state}, but no worker continued it`);
  if (balance.preparing === true) return findings;
  const pending = new Set(balance.pending_versions);
  for (const version of ended.has(state) ? [1, 2] : [1]) {
    const stored = events.filter(
      (event) => event.transaction_type === payoutEvents && event.sequence === version,
    );
    const isThere = stored.length === 1 || (stored.length === 0 && pending.has(version));
    expect(8, isThere, `its version ${version} is stored ${stored.length} times as an event`);
    const status = version === 1 ? "initiated" : "failed";
    const isSame = stored.every((event) => event.status === status);
    expect(7, isSame, `its version ${version} was published with other content`);
  }
  return findings;
}
