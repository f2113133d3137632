import { localTime, type Schedule } from "@disburse/bank-files/calendar/window.ts";
import type { AchCredit, WrittenAch } from "@disburse/bank-files/nacha/credit.ts";
import { writeAch } from "@disburse/bank-files/nacha/write.ts";
import { cutToFit, isShown } from "@disburse/bank-files/text/swift-characters.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { limitOf } from "@disburse/kernel/payment-methods/limits.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";

import type { BankStore, FileDocument, StoredFault } from "../documents.ts";
import { leftOut, profileFaults } from "../faults.ts";
import type { BankFormat, PaymentToWrite, ProfileFaults, Writing } from "../format.ts";
import { dayThrough } from "../plan.ts";
import type { NachaRailSettings } from "../settings.ts";
import { readAnswer } from "./answer.ts";
import { reserveNumbers } from "./numbers.ts";
import { achProfile } from "./profile.ts";

/** A payment has one addenda record. */
const remittanceMax = limitOf("ACH", "remittance").max;

/** Ten digits of cents (NACHA, entry detail record). */
export const centsMax = 9_999_999_999n;

/** Files of NACHA: PPD and CCD credits to the bank; returns and changes from it. */
export function nachaFormat(settings: NachaRailSettings, schedule: Schedule): BankFormat {
  const { rail, return_window_days: days } = settings;
  return {
    reserve: (store: BankStore, payments, at) =>
      reserveNumbers(store, { rail, day: localTime(at, schedule.zone).day, payments }),
    write: async (file, payments) => write(settings, schedule, file, payments),
    read: (bytes) => readAnswer(bytes, settings.statement_account),
    settledThrough: (now) => dayThrough(schedule, days, now),
  };
}

/** Writes all that can be written; what cannot is left out, each with its first fault. */
function write(
  { profile }: NachaRailSettings,
  { zone }: Schedule,
  { _id: messageId, created_at, numbers }: FileDocument,
  all: readonly PaymentToWrite[],
): Writing | ProfileFaults {
  if (numbers === undefined) throw new Error("a NACHA file has reserved no numbers");
  const { day: createdOn, time: createdAt } = localTime(created_at, zone);
  const { ordinal, trace_from: traceFrom } = numbers;
  const attempt = (credits: readonly AchCredit[]) =>
    writeAch(achProfile(profile), { createdOn, createdAt, ordinal, traceFrom, credits });
  const credits = all.map(creditOf);
  const first = attempt(credits);
  if (!isRefused(first)) return written(messageId, first, []);
  const left = leftOut(first.faults);
  if (left === undefined) return profileFaults(first.faults);
  const others = credits.filter(({ payoutId }) => !left.has(payoutId));
  const out = [...left.values()];
  if (others.length === 0) return { file: undefined, leftOut: out };
  const rest = attempt(others);
  return isRefused(rest) ? profileFaults(rest.faults) : written(messageId, rest, out);
}

function written(
  messageId: string,
  { bytes, traces }: WrittenAch,
  out: readonly StoredFault[],
): Writing {
  const members = traces.map(({ payoutId: id, trace }) => ({ id, trace }));
  return { file: { name: `${messageId}.ach`, bytes, members }, leftOut: out };
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
