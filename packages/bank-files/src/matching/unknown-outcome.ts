/**
 * Reasons why the outcome of a payment is unknown. No money moves in the books, and operators
 * decide.
 */
export type UnknownOutcome =
  /**
   * The bank reports a duplicate, so it may already have paid another instruction of this payment.
   */
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
  /** The return reports a duplicate payment, or has a code that does not apply to credits. */
  | "returned-without-proof"
  | "return-taken-back"
  /**
   * The returned amount is too small: neither named charges nor the allowed shortfall explain the
   * difference.
   */
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

/** True if the bank may have paid. A later rejection then proves nothing, whatever its reason. */
export function mayBePaid(why: UnknownOutcome): boolean {
  return !unpaid.has(why);
}

/**
 * Returns the graver of two outcomes. A weaker later report must not hide evidence of a payment.
 */
export function graverOf(known: UnknownOutcome | undefined, why: UnknownOutcome): UnknownOutcome {
  return known !== undefined && gravity(known) > gravity(why) ? known : why;
}

/**
 * A duplicate ranks below evidence of a debit, because statements may still prove that it was not
 * paid.
 */
function gravity(why: UnknownOutcome): number {
  if (!mayBePaid(why)) return 0;
  return why === "rejected-as-duplicate" ? 1 : 2;
}
