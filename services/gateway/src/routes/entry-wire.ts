import type { LedgerEntry } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { currencyOf } from "@disburse/kernel/currency.ts";
import { formatDecimal, parseDecimal } from "@disburse/kernel/decimal.ts";
import { wireNumber, wireTime } from "./wire.ts";
import { ledgerSteps } from "./words.ts";

/**
 * One line of a statement, with the account's money after it. Of its postings the merchant is told
 * those of its own account and the fees; the house's other accounts are the house's affair.
 */
export function entryData(entry: LedgerEntry) {
  return {
    id: entry.id,
    account_id: entry.accountId,
    sequence: wireNumber(entry.sequence),
    step: ledgerSteps[entry.step],
    currency_code: entry.currencyCode,
    amount: wireNumber(entry.amount),
    available: wireNumber(entry.available),
    held: wireNumber(entry.held),
    available_change: posted(entry, "available"),
    held_change: posted(entry, "held"),
    total_fees: posted(entry, "house:fees"),
    payout_id: entry.payoutId,
    note: entry.note,
    reverses: entry.reverses,
    previous_hash: entry.previousHash,
    hash: entry.hash,
    created_at: wireTime(entry.createdAt),
  };
}

/** What an entry posts to an account, with all decimals of its currency; zero where nothing. */
function posted({ postings, currencyCode }: LedgerEntry, account: string): unknown {
  const posting = postings.find((each) => each.account === account);
  const amount = parseDecimal(posting?.amount ?? "0");
  if (amount === undefined) throw new Error("a posting has no amount");
  return wireNumber(formatDecimal(amount, currencyOf(currencyCode).decimals));
}
