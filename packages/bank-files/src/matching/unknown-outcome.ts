/**
 * Reasons why the outcome of a payment is unknown. No money moves in the books, and operators
 * decide.
 */
export type UnknownOutcome =
  /** The bank has, or may have, another instruction of this payment, which it may have paid. */
  | "rejected-as-duplicate"
  /** The rejection's reasons do not prove that nothing was paid. */
  | "rejected-without-proof"
  /** Rejected after its debit was booked. */
  | "rejected-after-debit"
  /** One level of a report rejects, and another one settles or accepts. */
  | "contradicting-levels"
  | "settled-after-rejection"
  | "debited-after-rejection"
  | "debited-twice"
  | "returned-after-rejection"
  | "returned-twice"
  /** A return that reports a duplicate payment, or whose code no credit has. */
  | "returned-without-proof"
  | "return-taken-back"
  /** The returned amount is smaller than named or allowed charges explain. */
  | "returned-in-part"
  | "returned-in-another-currency"
  | "credit-that-is-no-return"
  | "amount-differs"
  | "another-account"
  | "cancelled"
  | "blocked"
  | "dishonoured"
  | "contested";

/** Outcomes without evidence of a debit, or of a duplicate that the bank may have paid. */
const unpaid: ReadonlySet<UnknownOutcome> = new Set([
  "rejected-without-proof",
  "cancelled",
  "blocked",
]);

/** If true, a later rejection proves nothing, whatever its reason. */
export function mayBePaid(why: UnknownOutcome): boolean {
  return !unpaid.has(why);
}

/** Keeps the graver outcome, so that a weaker later report does not hide evidence of a payment. */
export function graverOf(known: UnknownOutcome | undefined, why: UnknownOutcome): UnknownOutcome {
  return known !== undefined && gravity(known) > gravity(why) ? known : why;
}

/** Statements may still prove that a duplicate alone is unpaid. */
function gravity(why: UnknownOutcome): number {
  if (!mayBePaid(why)) return 0;
  return why === "rejected-as-duplicate" ? 1 : 2;
}
