import { currencyOf } from "@disburse/kernel/currency.ts";
import { rescale } from "@disburse/kernel/decimal.ts";
import type { LedgerEntry, LedgerStep } from "../../ledger/rules/account.ts";

/** The movements that change what an account has in all; a hold and its release do not. */
export const bookedSteps = ["credit", "post", "return", "reversal"] as const;

/** One of them. */
export type BookedStep = (typeof bookedSteps)[number];

/** A line of a statement. */
export type Line = {
  readonly sequence: number;
  readonly entryId: string;
  readonly step: BookedStep;
  readonly at: Date;
  readonly payoutId: string;
  /** Minor units, below zero where money left the account. */
  readonly amount: bigint;
  /** Of the amount; below zero where they came back. */
  readonly fees: bigint;
  /** What the account has after it, held or not. */
  readonly balance: bigint;
  readonly note: string;
  readonly previousHash: string;
  readonly hash: string;
};

const signs: Readonly<Record<BookedStep, bigint>> = {
  credit: 1n,
  post: -1n,
  return: 1n,
  reversal: -1n,
};

function isBooked(step: LedgerStep): step is BookedStep {
  return Object.hasOwn(signs, step);
}

/** An entry as a line of a statement. Throws for one that changes no total. */
export function lineOf(entry: LedgerEntry): Line {
  const { step, currency } = entry;
  if (!isBooked(step)) throw new Error(`a statement has no ${step}`);
  const fees = entry.postings.find((each) => each.account === "house:fees");
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

/** The balance after lines that follow a balance. Throws where the ledger does not add up. */
export function balanceAfter(balance: bigint, lines: readonly Line[]): bigint {
  return lines.reduce((before, line) => {
    if (before + line.amount === line.balance) return line.balance;
    throw new Error(`entry ${line.sequence} does not add up with the line before`);
  }, balance);
}

/** Where a statement goes on: kept by its reader, part by part. */
export type Position = {
  /** Of the next entry to look at. */
  readonly next: number;
  /** Of the first entry after the statement. */
  readonly end: number;
  /** When it ends. */
  readonly to: Date;
  readonly balance: bigint;
};

/** A position as a cursor. */
export function cursorOf({ next, end, to, balance }: Position): string {
  return `${next}.${end}.${to.getTime()}.${balance}`;
}

/** Reads a cursor; `undefined` where it is none. */
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
