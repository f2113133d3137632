import type { Entry, EntryTransaction } from "../iso20022/reports/entry.ts";
import type { Statement } from "../iso20022/reports/statement.ts";
import type { Booking, SentPayment } from "./sent-payment.ts";
import type { Verdict } from "./verdict.ts";

/** A payment of USD 100.00 that was sent in the file M1; `changes` replace its parts. */
export function sentPayment(number: number, changes: Partial<SentPayment> = {}): SentPayment {
  return {
    payoutId: `po_${number}`,
    endToEndId: `E${number}`,
    uetr: `u${number}`,
    messageId: "M1",
    paymentInformationId: "M1-1",
    amount: { minor: 10000n, currency: "USD" },
    account: "000123456789",
    state: "sent",
    debits: [],
    returns: [],
    charges: [],
    ...changes,
  };
}

/** A booked entry for one payment of USD 100.00. */
export function bookedEntry(
  direction: Entry["direction"],
  transaction: Partial<EntryTransaction> | undefined,
  changes: Partial<Entry> = {},
): Entry {
  return {
    number: 1,
    bankReference: "B1",
    amount: { minor: 10000n, currency: "USD" },
    direction,
    isReversal: false,
    status: "booked",
    code: {},
    charges: [],
    batches: [],
    transactions: transaction === undefined ? [] : [{ charges: [], ...transaction }],
    ...changes,
  };
}

/** A statement of the account that payments are sent from. */
export function statementOf(entries: readonly Entry[]): Statement {
  return { account: { number: "000123456789" }, currency: "USD", balances: [], entries };
}

/** A booking of a single payment in a statement, with the bank's reference. */
export function ofStatement(reference: string): Booking {
  return { source: "statement", as: "payment", reference };
}

/** A verdict without its source. */
export function bare({ source: _source, ...verdict }: Verdict) {
  return verdict;
}
