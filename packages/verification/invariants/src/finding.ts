/**
 * The numbers are those of the reliability design. The first thirteen are its invariants; the
 * following ones compare rails with their counterparts. The design's fourteenth invariant (no
 * private data in logs and messages) can't be checked from documents.
 */
export const invariants = {
  1: "in each account, after each entry: funded + credited − settled out = available + held",
  2: "available and held are never negative",
  3: "a quote has at most one payout, with the quote's own amounts, rate and beneficiary",
  4: "each hold ends in exactly one of posted or released, as its payout says",
  5: "accepted payouts exist, and a worker or sweep is due for each unfinished one",
  6: "an operation and an idempotency key have one effect, and stored responses name existing records",
  7: "the status of a payout only moves forward, and its versions have no gap",
  8: "each change of status is delivered to each endpoint: acknowledged, pending or exhausted",
  9: "at most one rail transfer for each payout, and it agrees with the payout",
  10: "no payout to a beneficiary that was not cleared",
  11: "nothing executes after its quote expired",
  12: "related documents belong to the same merchant",
  13: "converted + fees = source, and the receiving amount follows exactly from the rate",
  15: "a chain has exactly one payment for each settled transfer, in its amount, and none for other transfers",
} as const;

export type Invariant = keyof typeof invariants;

export const invariantNumbers = Object.keys(invariants).map(Number) as readonly Invariant[];

export type Finding = {
  readonly invariant: Invariant;
  /** The record's id, never personal data. */
  readonly subject: string;
  /** Contains ids, amounts and states, no personal data. */
  readonly detail: string;
};

/** Records a finding if the condition is false: `expect(13, sum === whole, "…")`. */
export type Expect = (invariant: Invariant, holds: boolean, detail: string) => void;

export function expectationsOf(subject: string) {
  const findings: Finding[] = [];
  const expect: Expect = (invariant, holds, detail) => {
    if (!holds) findings.push({ invariant, subject, detail });
  };
  return { findings, expect };
}
