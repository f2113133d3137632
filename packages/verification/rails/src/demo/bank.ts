import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BankName } from "../counterparts/bank-rails.ts";
import type { Banks } from "../counterparts/banks.ts";
import type { Payer, PayoutSeen } from "./payer.ts";
import { fileLines, show } from "./printed.ts";
import { byAch, bySepa, bySwift, bySwiftReturned } from "./recipients.ts";

type BankPayout = {
  readonly bank: BankName;
  readonly what: string;
  readonly amount: string;
  readonly currency: string;
  readonly reference: string;
  readonly beneficiaryId: string;
};

/** Time limit for sending a file and for the bank's answer. */
const fileTimeoutMs = 30_000;
const settleTimeoutMs = 30_000;
const pollEveryMs = 100;

/** Pays by SWIFT and ACH, then shows returns and the banks' end of day. */
export async function payByBanks(payer: Payer, banks: Banks): Promise<void> {
  const { beneficiaries } = payer.disburse;
  const settled = ({ status }: PayoutSeen) => status === "succeeded";
  const failed = ({ status }: PayoutSeen) => status === "failed";
  const emmy = await beneficiaries.createFiat(bySwift);
  const swift = await payByBank(payer, banks, {
    bank: "bank-usd",
    what: "120.00 USD to an account in Frankfurt, by SWIFT",
    amount: "120.00",
    currency: "USD",
    reference: "demo-swift",
    beneficiaryId: emmy.beneficiary_id,
  });
  await followToItsEnd(payer, banks, "bank-usd", swift, settled);
  const konrad = await beneficiaries.createFiat(bySwiftReturned);
  const returned = await payByBank(payer, banks, {
    bank: "bank-usd",
    what: "75.00 USD to an account that is closed, by SWIFT",
    amount: "75.00",
    currency: "USD",
    reference: "demo-return",
    beneficiaryId: konrad.beneficiary_id,
  });
  await followToItsEnd(payer, banks, "bank-usd", returned, failed);
  const sophie = await beneficiaries.createFiat(bySepa);
  const sepa = await payByBank(payer, banks, {
    bank: "bank-eur",
    what: "90.00 USD to an account in Paris, in euros by SEPA",
    amount: "90.00",
    currency: "EUR",
    reference: "demo-sepa",
    beneficiaryId: sophie.beneficiary_id,
  });
  await followToItsEnd(payer, banks, "bank-eur", sepa, settled);
  const grace = await beneficiaries.createFiat(byAch);
  await payByBank(payer, banks, {
    bank: "bank-ach",
    what: "40.00 USD to an account in New York, by ACH",
    amount: "40.00",
    currency: "USD",
    reference: "demo-ach",
    beneficiaryId: grace.beneficiary_id,
  });
  show(
    "No bank confirms an ACH credit",
    "it counts as settled once the bank's window for returns is over, and a later return is one still",
  );
  for (const name of banks.names) {
    const bank = banks.of(name);
    const from = bank.sent.length;
    await bank.closeDay();
    for (const { name: file, bytes } of bank.sent.slice(from)) {
      show(`The day of ${name}, by its statement ${file}`, ...fileLines(bytes));
    }
  }
}

/** Executes a payout and shows its bank file. Returns the payout's id. */
async function payByBank(
  { pay }: Payer,
  banks: Banks,
  { bank: name, what, amount, currency, reference, beneficiaryId }: BankPayout,
): Promise<string> {
  const { outgoing } = banks.places(name);
  const before = new Set(readdirSync(outgoing));
  const id = await pay(beneficiaryId, currency, amount, reference);
  show(`Executed: ${what}`, `payout ${id}`);
  const file = await firstOf(() => readdirSync(outgoing).filter((each) => isNew(each, before)));
  show(`The bank got a file: ${file}`, ...fileLines(readFileSync(join(outgoing, file))));
  return id;
}

/** Waits until a bank payout is final, then shows the bank's messages. */
async function followToItsEnd(
  { until }: Payer,
  banks: Banks,
  name: BankName,
  id: string,
  isSo: (payout: PayoutSeen) => boolean,
): Promise<PayoutSeen> {
  const bank = banks.of(name);
  const from = bank.sent.length;
  const payout = await until(id, isSo, settleTimeoutMs);
  for (const { kind, name: file, bytes } of bank.sent.slice(from)) {
    show(`The bank says, by ${words[kind]} ${file}`, ...fileLines(bytes));
  }
  const { status, sub_status, unique_transaction_reference: reference } = payout;
  show(
    `The payout is ${status} (${sub_status})`,
    ...(reference === "" ? [] : [`reference ${reference}`]),
    ...(payout.failure_code === ""
      ? []
      : [
          `${payout.failure_code} (${payout.rail_code}): ${payout.failure_message}`,
          `the returned payment had the reference ${payout.returned_reference}`,
        ]),
  );
  return payout;
}

const words = {
  "status-report": "a status report",
  notification: "a notification of bookings",
  statement: "a statement",
  returns: "a file of returns",
} as const;

function isNew(name: string, before: ReadonlySet<string>): boolean {
  return !before.has(name) && !name.endsWith(".part");
}

async function firstOf(read: () => readonly string[]): Promise<string> {
  const latest = Date.now() + fileTimeoutMs;
  for (;;) {
    const [first] = read();
    if (first !== undefined) return first;
    if (Date.now() > latest) throw new Error(`no file reached the bank in ${fileTimeoutMs} ms`);
    await pause(pollEveryMs);
  }
}
