import { readAccount } from "@disburse/ledger/accounts.ts";
import type { LedgerCollections } from "@disburse/ledger/documents.ts";
import {
  balancesAfter,
  entriesOfSpan,
  type OwnAccount,
  readSpan,
  type StepTotal,
  stepTotals,
} from "@disburse/ledger/statement.ts";
import {
  type BookedStep,
  bookedSteps,
  type Line,
  type Period,
  type StatementLine,
  totalOf,
} from "@disburse/statement-formats/statement.ts";
import type { Payouts } from "../payouts/document.ts";
import { balanceAfter, lineOf, type Position } from "./rules/line.ts";

export type StatementStores = {
  readonly ledger: LedgerCollections;
  readonly payouts: Payouts;
};

/**
 * Returns the account's balances before and after a period, with the totals of its lines. Returns
 * `undefined` for an unknown account. Throws if the lines don't match the balances.
 */
export async function openPeriod(
  { ledger }: StatementStores,
  own: OwnAccount,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<{ readonly period: Period; readonly position: Position } | undefined> {
  const found = await readSpan(ledger, own, { from, to });
  if (found === undefined) return undefined;
  const { account, span, before: opening, after: closing } = found;
  const totals = await stepTotals(ledger, own.accountId, span);
  const sum = (...steps: readonly BookedStep[]): StepTotal => {
    const its = steps.map((step) => totals.get(step) ?? { count: 0, sum: 0n });
    return {
      count: its.reduce((count, each) => count + each.count, 0),
      sum: its.reduce((total, each) => total + each.sum, 0n),
    };
  };
  const [credits, debits] = [sum("credit", "return"), sum("post", "reversal")];
  if (totalOf(opening) + credits.sum - debits.sum !== totalOf(closing)) {
    throw new Error("the period's opening balance and entries don't add up to its closing balance");
  }
  const period = { account, from, to, opening, closing, credits, debits };
  return { period, position: { next: span.first, end: span.end, to, balance: totalOf(opening) } };
}

/** Returns the next lines and the position after them, which is `undefined` at the end. */
export async function readLines(
  { ledger, payouts }: StatementStores,
  accountId: string,
  position: Position,
  limit: number,
): Promise<{ readonly lines: readonly StatementLine[]; readonly rest: Position | undefined }> {
  const span = { first: position.next, end: position.end };
  const found = await entriesOfSpan(ledger, accountId, span, { steps: bookedSteps, limit });
  const lines = found.map(lineOf);
  const balance = balanceAfter(position.balance, lines);
  const last = lines.at(-1);
  const named = await withPayouts(payouts, lines);
  if (last !== undefined && lines.length === limit) {
    return { lines: named, rest: { ...position, next: last.sequence + 1, balance } };
  }
  const closing = await balancesAfter(ledger, accountId, position.end - 1);
  if (balance !== totalOf(closing)) {
    throw new Error(
      "the statement's opening balance and lines don't add up to its closing balance",
    );
  }
  return { lines: named, rest: undefined };
}

async function withPayouts(payouts: Payouts, lines: readonly Line[]): Promise<StatementLine[]> {
  const ids = [...new Set(lines.map(({ payoutId }) => payoutId).filter((id) => id !== ""))];
  const projection = {
    "order.details.reference_id": 1,
    beneficiary_name: 1,
    beneficiary_name_latin: 1,
    transfer_method: 1,
    reissue_of: 1,
    reissued_as: 1,
  };
  const found = await payouts.find({ _id: { $in: ids } }, { projection }).toArray();
  const byId = new Map(found.map((each) => [each._id, each]));
  return lines.map((line) => {
    const payout = byId.get(line.payoutId);
    return {
      ...line,
      referenceId: payout?.order.details.reference_id ?? "",
      beneficiaryName: payout?.beneficiary_name ?? "",
      beneficiaryNameLatin: payout?.beneficiary_name_latin ?? "",
      transferMethod: payout?.transfer_method ?? "",
      reissueOf: payout?.reissue_of ?? "",
      reissuedAs: payout?.reissued_as ?? "",
    };
  });
}

/**
 * Returns the account that a statement is for, or `undefined` if the merchant has no such account.
 */
export function statementAccount({ ledger }: StatementStores, own: OwnAccount) {
  return readAccount(ledger, own.merchantId, own.accountId);
}
