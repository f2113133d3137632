import { createHash } from "node:crypto";
import {
  type CustomerEntry,
  statementBegin,
  statementEnd,
  statementEntry,
} from "@disburse/bank-files/iso20022/customer/write-statement.ts";
import { currencyOf } from "@disburse/kernel/currency.ts";
import {
  type BookedStep,
  type PartedFormat,
  type Period,
  reissueTexts,
  type StatementLine,
  totalOf,
} from "./statement.ts";

/**
 * Returns true if a currency can be in an ISO 20022 file: an ISO 4217 currency with at most 5
 * decimals.
 */
export function isForCamt(currency: string): boolean {
  return currencyOf(currency).kind === "fiat";
}

/** camt.053. The file begins with the totals of the period. */
export const camt: PartedFormat = {
  begin,
  lines: (lines, currency) => lines.map((line) => statementEntry(entryOf(line, currency))).join(""),
  end: () => statementEnd,
};

function begin(period: Period, createdAt: Date): string {
  const { account, from, to, opening, closing, credits, debits } = period;
  const { currency } = account;
  const money = (minor: bigint) => ({ minor, currency });
  return statementBegin({
    id: idOf(period),
    createdAt,
    from,
    to,
    accountId: account.id,
    currency,
    opening: money(totalOf(opening)),
    closing: money(totalOf(closing)),
    openingAvailable: money(opening.available),
    closingAvailable: money(closing.available),
    credits: { count: credits.count, sum: money(credits.sum) },
    debits: { count: debits.count, sum: money(debits.sum) },
  });
}

/** Derives an id of at most 35 characters. The same account and period always give the same id. */
function idOf({ account, from, to }: Period): string {
  const text = `${account.id} ${from.toISOString()} ${to.toISOString()}`;
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function entryOf(line: StatementLine, currency: string): CustomerEntry {
  const { amount, fees, step } = line;
  const size = (minor: bigint) => ({ minor: minor < 0n ? -minor : minor, currency });
  return {
    number: line.sequence,
    amount: size(amount),
    direction: step === "post" || step === "reversal" ? "debit" : "credit",
    isReversal: step === "return" || step === "reversal",
    at: line.at,
    // The ids of entries are too long for the format. An entry without a payout is identified by
    // the start of its hash.
    reference: line.payoutId === "" ? line.hash.slice(0, 32) : line.payoutId,
    family: step === "post" || step === "return" ? "ICDT" : "RCDT",
    kind: step === "return" ? "RRTN" : kindOf(step, line.transferMethod),
    fees: fees === 0n ? undefined : size(fees),
    endToEndId: line.referenceId,
    text: [line.referenceId, line.beneficiaryName, line.note, ...reissueTexts(line)]
      .filter((each) => each !== "")
      .join(" / "),
  };
}

const kinds: Readonly<Record<string, CustomerEntry["kind"]>> = {
  SWIFT: "XBCT",
  SEPA: "ESCT",
  ACH: "DMCT",
  LOCAL: "DMCT",
};

function kindOf(step: BookedStep, transferMethod: string): CustomerEntry["kind"] {
  return step === "post" ? (kinds[transferMethod] ?? "OTHR") : "OTHR";
}
