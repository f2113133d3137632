import { currencyOf } from "@disburse/kernel/currency.ts";
import { rescale } from "@disburse/kernel/decimal.ts";
import type { LedgerEntry, LedgerStep } from "@disburse/ledger/rules/account.ts";
import type { BookedStep, Line } from "@disburse/statement-formats/statement.ts";

const signs: Readonly<Record<BookedStep, bigint>> = {
  credit: 1n,
  post: -1n,
  return: 1n,
  reversal: -1n,
};

function isBooked(step: LedgerStep): step is BookedStep {
  return Object.hasOwn(signs, step);
}

/** Converts an entry to a line. Throws if the entry doesn't change the account's total. */
export function lineOf(entry: LedgerEntry): Line {
  const { step, currency } = entry;
  if (!isBooked(step))
    throw new Error(`an entry of the step ${step} does not belong on a statement`);
  const fees = entry.postings.find((each) => each.account === "platform:fees");
  return {
    sequence: entry.sequence,
    entryId: entry.key,
    step,
    at: entry.createdAt,
    payoutId: entry.payoutId,
    amount: signs[step] * entry.amount,
    fees: fees === undefined ? 0n : rescale(fees.amount, currencyOf(currency).decimals),
    balance: entry.available + entry.held,
    note: entry.note,
    previousHash: entry.previousHash,
    hash: entry.hash,
  };
}

/**
 * Returns the balance after the lines. Throws if a line's balance doesn't follow from the previous
 * one.
 */
export function balanceAfter(balance: bigint, lines: readonly Line[]): bigint {
  return lines.reduce((before, line) => {
    if (before + line.amount === line.balance) return line.balance;
    throw new Error(
      `the balance of entry ${line.sequence} does not follow from the previous line's balance`,
    );
  }, balance);
}

/** The position of the next part. The caller keeps it as a cursor. */
export type Position = {
  /** The sequence of the next entry to read. */
  readonly next: number;
  /** The sequence of the first entry after the statement. */
  readonly end: number;
  readonly to: Date;
  readonly balance: bigint;
};

export function cursorOf({ next, end, to, balance }: Position): string {
  return `${next}.${end}.${to.getTime()}.${balance}`;
}

/** Parses a cursor. Returns `undefined` if it is invalid. */
export function readPosition(cursor: string): Position | undefined {
  const [, next, end, to, balance] =
    /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,40})$/.exec(cursor) ?? [];
  if (next === undefined || balance === undefined) return undefined;
  return {
    next: Number(next),
    end: Number(end),
    to: new Date(Number(to)),
    balance: BigInt(balance),
  };
}
