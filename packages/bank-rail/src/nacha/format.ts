import { localTime, type Schedule } from "@disburse/bank-files/calendar/window.ts";
import { sumCentsMax } from "@disburse/bank-files/nacha/batches.ts";
import type { AchCredit } from "@disburse/bank-files/nacha/credit.ts";
import { writeAch } from "@disburse/bank-files/nacha/write.ts";
import { cutToFit, isShown } from "@disburse/bank-files/text/swift-characters.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { limitOf } from "@disburse/kernel/payment-methods/limits.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { BankStore, FileDocument } from "../documents.ts";
import type { BankFormat, FileDefect, PaymentToWrite, ProfileFaults, Writing } from "../format.ts";
import { dayThrough } from "../plan.ts";
import type { NachaRailSettings } from "../settings.ts";
import { writeFitting } from "../writing/faults.ts";
import { failureOfReturn } from "./failures.ts";
import { achProfile, nachaProfileProblems } from "./profile.ts";

/** The maximum length of remittance text. A payment has only one addenda record. */
const remittanceMax = limitOf("ACH", "remittance").max;

/** The NACHA format: sends PPD and CCD credits; reads returns and notifications of change. */
export function nachaFormat(settings: NachaRailSettings, schedule: Schedule): BankFormat {
  const { rail, return_window_days: days } = settings;
  return {
    reserve: (store: BankStore, payments, at) =>
      reserveNumbers(store, { rail, day: localTime(at, schedule.zone).day, payments }),
    sumMax: sumCentsMax,
    write: async (file, payments) => write(settings, schedule, file, payments),
    judging: {
      // Without a configured account, no statement belongs to this rail.
      accounts: [settings.statement_account ?? ""],
      returnChargesMax: 0n,
      statusSettles: false,
      notExecutedCodes: new Set(),
      entriesSettle: false,
    },
    failureOf: failureOfReturn,
    check: async () => nachaProfileProblems(settings.profile),
    settledThrough: (now) => dayThrough(schedule, days, now),
  };
}

function write(
  { profile }: NachaRailSettings,
  { zone }: Schedule,
  { _id: messageId, created_at, numbers }: FileDocument,
  all: readonly PaymentToWrite[],
): Writing | ProfileFaults | FileDefect {
  if (numbers === undefined)
    throw new Error("no file and trace numbers were reserved for the NACHA file");
  const { day: createdOn, time: createdAt } = localTime(created_at, zone);
  const { ordinal, trace_from: traceFrom } = numbers;
  const fitting = writeFitting(all.map(creditOf), (credits) =>
    writeAch(achProfile(profile), { createdOn, createdAt, ordinal, traceFrom, credits }),
  );
  if (isRefused(fitting)) return fitting;
  const { written, leftOut } = fitting;
  if (written === undefined) return { file: undefined, leftOut };
  const members = written.traces.map(({ payoutId: id, trace, transactionCode }) => ({
    id,
    trace,
    company_id: profile.company.id,
    transaction_code: transactionCode,
  }));
  return { file: { name: `${messageId}.ach`, bytes: written.bytes, members }, leftOut };
}

function creditOf({ payment, order }: PaymentToWrite): AchCredit {
  const { _id: payoutId, amount_minor, plan } = payment;
  const { remittanceInformation: remittance } = order;
  return {
    payoutId,
    entryClass: order.accountType === "Individual" ? "PPD" : "CCD",
    routing: order.routingCodeValue,
    account: order.accountNumber,
    accountType: /saving/i.test(order.bankAccountType) ? "savings" : "checking",
    cents: fromDecimal128(amount_minor),
    name: order.beneficiaryName,
    effectiveOn: plan.settles_on,
    ...(isShown(remittance, "swift") && {
      remittance: cutToFit(remittance, "swift", remittanceMax),
    }),
  };
}

/** NACHA has 36 file id modifiers (A–Z, 0–9) for one day. */
const filesMax = 36;
/** The highest entry number, because a trace number has seven digits for the entry. */
const traceMax = 9_999_999;

/**
 * Reserves a file id modifier of the day and trace numbers. Each reservation is used once, even if
 * the file is never sent. Trace numbers restart at 1 after the highest seven-digit number.
 */
async function reserveNumbers(
  store: BankStore,
  {
    rail,
    day,
    payments,
  }: { readonly rail: string; readonly day: string; readonly payments: number },
): Promise<NonNullable<FileDocument["numbers"]>> {
  const ordinal = await reserve(store, `${rail} files ${day}`, 1, undefined);
  if (ordinal > filesMax)
    throw new Error(`a rail can write at most ${filesMax} NACHA files per day`);
  // Each payment needs one number. A batch may need one more for the entry that balances it.
  const trace_from = await reserve(store, `${rail} traces`, 2 * payments + 1, traceMax);
  return { ordinal: ordinal - 1, trace_from };
}

/**
 * Reserves consecutive numbers and returns the first. Starts again at 1 if the range would exceed
 * `last`.
 */
async function reserve(
  { counters }: BankStore,
  _id: string,
  count: number,
  last: number | undefined,
): Promise<number> {
  const present = { $ifNull: ["$next", 1] };
  const fits = last === undefined || { $lte: [{ $add: [present, count] }, last + 1] };
  const given = { $cond: [fits, present, 1] };
  const found = await counters.findOneAndUpdate(
    { _id },
    [{ $set: { schema_version: 1, given, next: { $add: [given, count] } } }],
    { upsert: true, returnDocument: "after" },
  );
  if (found === null) throw new Error(`counter ${_id} has no document in the database`);
  return found.given;
}
