import type { Account, RecentEntry, RecordedEntry, ScheduledPayout } from "./documents.ts";
import { minorOf } from "./exact.ts";
import { expectationsOf, type Finding } from "./finding.ts";

type Entry = RecordedEntry | RecentEntry;

/** States in which a scheduled payout may still become a payout. */
const open: ReadonlySet<string> = new Set(["waiting", "awaiting_approval"]);

/**
 * Checks that a scheduled payout that was ordered with a reservation has reserved its maximum, and
 * gave it back once it ended. Its quote may be claimed while it still waits. The reservation is then
 * becoming the payout's hold.
 */
export function checkReservation(
  order: ScheduledPayout,
  {
    reserve,
    unreserve,
  }: { readonly reserve: Entry | undefined; readonly unreserve: Entry | undefined },
): Finding[] {
  const { findings, expect } = expectationsOf(order._id);
  if (order.reserve !== true || order.state === "reserving") return findings;
  expect(4, reserve !== undefined, "was ordered with a reservation and has none");
  if (reserve === undefined) return findings;
  const isMaximum = minorOf(reserve.amount) === minorOf(order.max_source_minor ?? "0");
  expect(4, isMaximum, "has not reserved its maximum");
  const isOwn =
    reserve.merchant_id === order.merchant_id && reserve.account_id === order.account_id;
  expect(12, isOwn, "its reservation is of another merchant or account");
  const isUnpaid = open.has(order.state) && order.quote === undefined;
  expect(4, !isUnpaid || unreserve === undefined, "waits, and its reservation has ended");
  const isOver = !open.has(order.state) && order.reserved !== true;
  expect(4, !isOver || unreserve !== undefined, "has ended, and its reservation has not");
  return findings;
}

/** Checks what an account keeps about its threshold. */
export function checkThreshold({ _id, available, ...account }: Account): Finding[] {
  const { low_balance_threshold: threshold, is_low } = account;
  const { findings, expect } = expectationsOf(_id);
  const isLow = threshold === undefined ? undefined : minorOf(available) < minorOf(threshold);
  expect(1, is_low === isLow, `is low: ${is_low}, and its balance says ${isLow}`);
  return findings;
}
