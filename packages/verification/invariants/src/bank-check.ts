import type { BankFile, BankPayment, Payout } from "./documents.ts";
import { minorOf } from "./exact.ts";
import { expectationsOf, type Finding } from "./finding.ts";
import { wasReported } from "./reported.ts";

/** States of a payment at a bank that go with a stage of its payout, once both are at rest. */
const statesOf: Readonly<Record<string, readonly string[]>> = {
  settled: ["settled"],
  returning: ["returned"],
  returned: ["returned"],
  rejected: ["rejected", "withdrawn"],
  cancelled: ["withdrawn"],
};

/** Stages whose money left in a file. */
const paid: ReadonlySet<string> = new Set(["settled", "returning", "returned"]);

/** A payment in the files of a bank is a payout's, agrees with it, and is in one sent file once. */
export function checkBankPayment(
  payment: BankPayment,
  payout: Payout | undefined,
  file: BankFile | undefined,
): Finding[] {
  const { findings, expect } = expectationsOf(payment._id);
  expect(9, payout !== undefined, "a bank's rail has a payment of no payout");
  // A stone: it never came, and never will be taken.
  const isStone = payment.state === "withdrawn" && payment.currency === "";
  if (payout === undefined || isStone) return findings;
  const isSame =
    payment.currency === payout.destination &&
    minorOf(payment.amount_minor) === minorOf(payout.receiving_minor);
  expect(9, isSame, "its payment at the bank is of another amount");
  expect(9, payment.rail === payout.rail, "its payment is at another rail than its own");
  // What its rail learned and it has not asked for yet is on its way; people outweigh the rail.
  if (payment.owed === true || wasReported(payout)) return findings;
  const { stage } = payout.progress;
  const states = statesOf[stage];
  const isAllowed = states === undefined || states.includes(payment.state);
  expect(9, isAllowed, `is ${stage} and its payment at the bank ${payment.state}`);
  if (!paid.has(stage)) return findings;
  expect(9, file?.state === "sent", `is ${stage} and its file was not sent`);
  const times = file?.members?.filter(({ id }) => id === payment._id).length ?? 0;
  expect(9, times === 1, `is ${stage} and stands ${times} times in its file`);
  return findings;
}

/**
 * A file's members are the payments that name it: `filed` of them. One that another file has as
 * well names that one, and is missing here.
 */
export function checkBankFile({ _id, state, members = [] }: BankFile, filed: number): Finding[] {
  const { findings, expect } = expectationsOf(_id);
  const ids = new Set(members.map(({ id }) => id));
  expect(9, ids.size === members.length, "has a payment twice");
  const isOut = state === "sent" || state === "sending" || state === "undecided";
  expect(9, !isOut || members.length > 0, `is ${state} and has no payments`);
  // Payments learn of it before it leaves.
  const isSame = filed === members.length;
  expect(9, !isOut || isSame, `has ${members.length} payments, and ${filed} name it`);
  return findings;
}
