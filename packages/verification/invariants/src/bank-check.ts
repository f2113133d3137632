import type { BankFile, BankPayment, Payout } from "./documents.ts";
import { minorOf } from "./exact.ts";
import { expectationsOf, type Finding } from "./finding.ts";
import { wasReported } from "./reported.ts";

/** Allowed states of a bank payment for each stage of its payout, once both are at rest. */
const statesOf: Readonly<Record<string, readonly string[]>> = {
  settled: ["settled"],
  returning: ["returned"],
  returned: ["returned"],
  rejected: ["rejected", "withdrawn"],
  cancelled: ["withdrawn"],
};

/** Stages in which the money was sent in a file. */
const paid: ReadonlySet<string> = new Set(["settled", "returning", "returned"]);

/**
 * Checks that a bank payment matches its payout, and that exactly one sent file contains it once.
 */
export function checkBankPayment(
  payment: BankPayment,
  payout: Payout | undefined,
  file: BankFile | undefined,
): Finding[] {
  const { findings, expect } = expectationsOf(payment._id);
  expect(9, payout !== undefined, "a bank rail has a payment without a payout");
  // The payment was withdrawn before it arrived. The rail stored this record so that it never
  // accepts the payment.
  const isStone = payment.state === "withdrawn" && payment.currency === "";
  if (payout === undefined || isStone) return findings;
  const isSame =
    payment.currency === payout.destination &&
    minorOf(payment.amount_minor) === minorOf(payout.receiving_minor);
  expect(9, isSame, "its payment at the bank is of another amount");
  expect(9, payment.rail === payout.rail, "its payment is at another rail than its payout's");
  // The payout may not have read the rail's last result yet. An operator's report overrides the
  // rail.
  if (payment.report_pending === true || wasReported(payout)) return findings;
  const { stage } = payout.progress;
  const states = statesOf[stage];
  const isAllowed = states === undefined || states.includes(payment.state);
  expect(9, isAllowed, `is ${stage}, but its payment at the bank is ${payment.state}`);
  if (!paid.has(stage)) return findings;
  expect(9, file?.state === "sent", `is ${stage}, but its bank file was not sent`);
  const times = file?.members?.filter(({ id }) => id === payment._id).length ?? 0;
  expect(9, times === 1, `is ${stage}, but occurs ${times} times in its bank file`);
  return findings;
}

/**
 * Compares a file's members with the `filed` payments that name this file. A payment that is in two
 * files names only one of them, so the check of the other file finds it missing.
 */
export function checkBankFile({ _id, state, members = [] }: BankFile, filed: number): Finding[] {
  const { findings, expect } = expectationsOf(_id);
  const ids = new Set(members.map(({ id }) => id));
  expect(9, ids.size === members.length, "has a payment twice");
  const isOut = state === "sent" || state === "sending" || state === "undecided";
  expect(9, !isOut || members.length > 0, `is ${state} and has no payments`);
  // Payments record the file before it is sent.
  const isSame = filed === members.length;
  expect(9, !isOut || isSame, `has ${members.length} payments, and ${filed} name it`);
  return findings;
}
