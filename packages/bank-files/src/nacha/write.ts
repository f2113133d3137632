import { limitOf } from "@disburse/kernel/payment-methods/limits.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { isCalendarDate } from "@disburse/kernel/time.ts";
import { isBankingDay } from "../calendar/bank-calendar.ts";
import { endToEndIdOf } from "../references.ts";
import { bankText, bankTextProblem, partyTextProblem } from "../text/swift-characters.ts";
import { type AchBatchCredits, achBatches, achFileLimits, entryCentsMax } from "./batches.ts";
import type {
  AccountType,
  AchCredit,
  AchFault,
  AchFile,
  AchProfile,
  AchUnwritable,
  WrittenAch,
  WrittenTrace,
} from "./credit.ts";
import {
  batchControl,
  batchHeader,
  blockRecords,
  columns,
  entryDetail,
  entryHashOf,
  fileControl,
  fileHeader,
  isRoutingNumber,
  paymentAddenda,
  record,
} from "./records.ts";

const modifiers = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

const traceMax = 9_999_999;

const codes: Readonly<Record<AccountType, { credit: string; debit: string }>> = {
  checking: { credit: "22", debit: "27" },
  savings: { credit: "32", debit: "37" },
};

/** The counts and sums of a control record. */
type Totals = { entries: number; rdfis: bigint; debits: bigint; credits: bigint };

const noTotals: Totals = { entries: 0, rdfis: 0n, debits: 0n, credits: 0n };

/**
 * Writes a NACHA file of credits, in batches by entry class and day. A full batch is followed by
 * another one. Equal input gives equal bytes. Refuses the whole file if any part cannot be written,
 * or if one file cannot hold all credits.
 */
export function writeAch(profile: AchProfile, file: AchFile): WrittenAch | AchUnwritable {
  const isBalanced = profile.balancedBy !== undefined;
  const batches = achBatches(file.credits, isBalanced);
  const limits = achFileLimits(batches, isBalanced);
  const faults = [
    ...fileFaults(profile, file),
    ...limits.map((problem) => ({ field: "credits", problem })),
    ...file.credits.flatMap((credit) => creditFaults(credit, file)),
  ];
  if (faults.length > 0) return { ...refused("UNWRITABLE"), faults };
  const lines = [headOf(profile, file)];
  const traces: WrittenTrace[] = [];
  const whole = { ...noTotals };
  let sequence = file.traceFrom;
  for (const [index, credits] of batches.entries()) {
    const totals = { ...noTotals };
    const head = batchHeadOf(profile, credits, index + 1);
    lines.push(record(batchHeader, head));
    for (const credit of credits) {
      const trace = traceOf(profile, sequence);
      sequence += 1;
      const transactionCode = codes[credit.accountType].credit;
      traces.push({ payoutId: credit.payoutId, trace, transactionCode });
      lines.push(...creditLines(credit, trace, totals));
    }
    if (profile.balancedBy !== undefined) {
      lines.push(balancingLine(profile, profile.balancedBy, traceOf(profile, sequence), totals));
      sequence += 1;
    }
    lines.push(batchEnd(head, totals));
    whole.entries += totals.entries;
    whole.rdfis += totals.rdfis;
    whole.debits += totals.debits;
    whole.credits += totals.credits;
  }
  lines.push(fileEnd(lines.length + 1, batches.length, whole));
  while (lines.length % blockRecords !== 0) lines.push("9".repeat(columns));
  const bytes = new TextEncoder().encode(lines.map((line) => line + profile.lineEnd).join(""));
  return { bytes, traces, nextTrace: sequence };
}

function fileFaults(profile: AchProfile, file: AchFile): AchFault[] {
  const { credits, createdOn, createdAt, ordinal, traceFrom } = file;
  const faults: AchFault[] = [];
  const check = (field: string, isRight: boolean, problem: string): void => {
    if (!isRight) faults.push({ field, problem });
  };
  check("createdOn", isCalendarDate(createdOn), "is not a day, yyyy-mm-dd");
  check("createdAt", /^([01]\d|2[0-3]):[0-5]\d$/.test(createdAt), "is not a time, hh:mm");
  check("ordinal", modifiers[ordinal] !== undefined, "is not from 0 to 35: a day has 36 files");
  check("credits", credits.length > 0, "are missing");
  check("credits", credits.length <= profile.entriesMax, `are over ${profile.entriesMax}`);
  check(
    "destination.routing",
    isRoutingNumber(profile.destination.routing),
    "is not a valid routing number",
  );
  check("odfi", /^\d{8}$/.test(profile.odfi), "is not eight digits");
  check("origin.id", /^[ A-Za-z0-9]{1,10}$/.test(profile.origin.id), "is not of ten characters");
  check("company.id", /^[ A-Za-z0-9]{1,10}$/.test(profile.company.id), "is not of ten characters");
  const { balancedBy } = profile;
  if (balancedBy !== undefined) {
    check(
      "balancedBy.routing",
      isRoutingNumber(balancedBy.routing),
      "is not a valid routing number",
    );
    check("balancedBy.account", isAccount(balancedBy.account), "is not of 17 characters");
  }
  // Each credit needs one trace number. Each batch needs at most one more for its balancing entry,
  // and there are at most as many batches as credits.
  const last = traceFrom + 2 * credits.length;
  check("traceFrom", Number.isInteger(traceFrom) && traceFrom >= 1 && last <= traceMax, "runs out");
  const ids = new Set(credits.map(({ payoutId }) => payoutId));
  check("credits", ids.size === credits.length, "have a payout that stands twice");
  return faults;
}

const remittanceMax = limitOf("ACH", "remittance").max;

function isRemittance(text: string): boolean {
  return bankText(text, "swift").length <= remittanceMax;
}

/** An account number is never transliterated or cut, because that would change the account. */
function isAccount(text: string): boolean {
  return (
    text.length <= limitOf("ACH", "account").max &&
    /^[A-Za-z0-9-](?:[A-Za-z0-9 -]*[A-Za-z0-9-])?$/.test(text)
  );
}

function creditFaults(credit: AchCredit, { createdOn }: AchFile): AchFault[] {
  const { payoutId, routing, account, cents, name, remittance = "" } = credit;
  const problems: (readonly [string, boolean, string])[] = [
    ["routing", isRoutingNumber(routing), "is not a valid routing number"],
    ["account", isAccount(account), "is not of up to 17 characters"],
    [
      "cents",
      cents > 0n && cents <= entryCentsMax,
      "is not above zero and below 100 million dollars",
    ],
    [
      "effectiveOn",
      isEffectiveDay(credit.effectiveOn),
      "is not a banking day of the Fed, yyyy-mm-dd",
    ],
    ["effectiveOn", credit.effectiveOn >= createdOn, "is before the day of the file"],
    ["name", partyTextProblem(name, "swift") === undefined, "has characters that no bank takes"],
    ["name", /[A-Za-z0-9]/.test(bankText(name, "swift")), "has no letter or digit"],
    ["remittance", bankTextProblem(remittance) === undefined, "has characters that no bank takes"],
    ["remittance", isRemittance(remittance), `has more than ${remittanceMax} characters`],
  ];
  return problems
    .filter(([, isRight]) => !isRight)
    .map(([field, , problem]) => ({ payoutId, field, problem }));
}

function isEffectiveDay(day: string): boolean {
  return isCalendarDate(day) && isBankingDay("FEDERAL_RESERVE", day) === true;
}

function shortDay(day: string): string {
  return day.slice(2).replaceAll("-", "");
}

/** Cuts a text to the columns of its field. */
function cut(text: string, length: number): string {
  return bankText(text, "swift").slice(0, length).trimEnd();
}

function headOf({ destination, origin }: AchProfile, file: AchFile): string {
  return record(fileHeader, {
    recordType: "1",
    priority: "01",
    destination: ` ${destination.routing}`,
    origin: origin.id.padStart(10),
    createdOn: shortDay(file.createdOn),
    createdAt: file.createdAt.replace(":", ""),
    modifier: modifiers.charAt(file.ordinal),
    recordSize: String(columns),
    blockingFactor: String(blockRecords),
    format: "1",
    destinationName: cut(destination.name, 23),
    originName: cut(origin.name, 23),
  });
}

type BatchHead = Readonly<Record<"serviceClass" | "companyId" | "odfi" | "number", string>>;

function batchHeadOf(profile: AchProfile, [first]: AchBatchCredits, number: number) {
  const { company, odfi, balancedBy } = profile;
  return {
    recordType: "5",
    serviceClass: balancedBy === undefined ? "220" : "200",
    companyName: cut(company.name, 16),
    companyId: company.id,
    entryClass: first.entryClass,
    description: cut(company.description, 10),
    effectiveOn: shortDay(first.effectiveOn),
    originatorStatus: "1",
    odfi,
    number: String(number),
  };
}

function traceOf({ odfi }: AchProfile, sequence: number): string {
  return odfi + String(sequence).padStart(7, "0");
}

function creditLines(credit: AchCredit, trace: string, totals: Totals): string[] {
  const { routing, account, accountType, cents, name, remittance } = credit;
  totals.entries += remittance === undefined ? 1 : 2;
  totals.rdfis += BigInt(routing.slice(0, 8));
  totals.credits += cents;
  const entry = record(entryDetail, {
    recordType: "6",
    transactionCode: codes[accountType].credit,
    rdfi: routing.slice(0, 8),
    checkDigit: routing.slice(8),
    account,
    amount: String(cents),
    receiverId: endToEndIdOf(credit.payoutId).slice(-15),
    receiver: cut(name, limitOf("ACH", "name").max),
    addendaIndicator: remittance === undefined ? "0" : "1",
    trace,
  });
  if (remittance === undefined) return [entry];
  const addenda = record(paymentAddenda, {
    recordType: "7",
    type: "05",
    information: bankText(remittance, "swift"),
    sequence: "1",
    entrySequence: trace.slice(-7),
  });
  return [entry, addenda];
}

function balancingLine(
  profile: AchProfile,
  { routing, account, accountType }: NonNullable<AchProfile["balancedBy"]>,
  trace: string,
  totals: Totals,
): string {
  totals.entries += 1;
  totals.rdfis += BigInt(routing.slice(0, 8));
  totals.debits += totals.credits;
  return record(entryDetail, {
    recordType: "6",
    transactionCode: codes[accountType].debit,
    rdfi: routing.slice(0, 8),
    checkDigit: routing.slice(8),
    account,
    amount: String(totals.credits),
    receiver: cut(profile.company.name, 22),
    addendaIndicator: "0",
    trace,
  });
}

function batchEnd({ serviceClass, companyId, odfi, number }: BatchHead, totals: Totals): string {
  return record(batchControl, {
    recordType: "8",
    serviceClass,
    ...sums(totals),
    companyId,
    odfi,
    number,
  });
}

function sums({ entries, rdfis, debits, credits }: Totals) {
  return {
    entries: String(entries),
    hash: String(entryHashOf(rdfis)),
    debits: String(debits),
    credits: String(credits),
  };
}

function fileEnd(records: number, batches: number, totals: Totals): string {
  return record(fileControl, {
    recordType: "9",
    batches: String(batches),
    blocks: String(Math.ceil(records / blockRecords)),
    ...sums(totals),
  });
}
