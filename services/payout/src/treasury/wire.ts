import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import {
  RailAccountSchema,
  RailEntrySchema,
  RailReportSchema,
  RailStep,
} from "@disburse/contracts/disburse/payout/v1/treasury_pb.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { LedgerEntry, RailStep as Step } from "@disburse/ledger/rules/account.ts";
import { postingText } from "@disburse/ledger/rules/postings.ts";
import type { RailAccountName } from "./accounts.ts";
import type { RailDay } from "./report.ts";
import { missingFor } from "./rules/day.ts";
import type { WaitingSum } from "./waiting.ts";

export function railEntryMessage(rail: string, entry: LedgerEntry) {
  const text = (minor: bigint) => formatAmount(minor, entry.currency);
  return create(RailEntrySchema, {
    id: entry.key,
    rail,
    currencyCode: entry.currency,
    sequence: BigInt(entry.sequence),
    step: enumValue(RailStep, entry.step as Step),
    amount: text(entry.amount),
    available: text(entry.available),
    held: text(entry.held),
    payoutId: entry.payoutId,
    note: entry.note,
    createdAt: timestampFromDate(entry.createdAt),
    postings: entry.postings.map(({ account, currency, amount }) => ({
      account,
      currencyCode: currency,
      amount: postingText(amount),
    })),
    previousHash: entry.previousHash,
    hash: entry.hash,
  });
}

/** An unused account has zero balances. */
export type RailBalance = RailAccountName & {
  readonly available: bigint;
  readonly held: bigint;
  readonly updatedAt?: Date;
};

/** Builds an account's message with the sum of its waiting payouts. */
export function railAccountMessage(balance: RailBalance, waiting: WaitingSum | undefined) {
  const { rail, currency, available, held, updatedAt } = balance;
  const text = (minor: bigint) => formatAmount(minor, currency);
  const { count = 0, sum = 0n } = waiting ?? {};
  return create(RailAccountSchema, {
    rail,
    currencyCode: currency,
    available: text(available),
    held: text(held),
    waitingCount: BigInt(count),
    waiting: text(sum),
    missing: text(missingFor(sum, available)),
    ...(updatedAt && { updatedAt: timestampFromDate(updatedAt) }),
  });
}

export function railReportMessage({ rail, currency }: RailAccountName, day: string, of: RailDay) {
  const text = (minor: bigint) => formatAmount(minor, currency);
  const { statement } = of;
  return create(RailReportSchema, {
    rail,
    currencyCode: currency,
    day,
    opening: text(of.opening),
    funded: text(of.funded),
    swept: text(of.swept),
    paid: text(of.paid),
    returned: text(of.returned),
    charges: text(of.charges),
    closing: text(of.closing),
    held: text(of.held),
    ...(statement && {
      statementClosing: text(statement.closing),
      difference: text(statement.difference),
      unexplained: text(statement.unexplained),
    }),
  });
}
