/** The movements that change an account's total. A hold and its release don't. */
export const bookedSteps = ["credit", "post", "return", "reversal"] as const;

export type BookedStep = (typeof bookedSteps)[number];

/** A booked movement of an account. */
export type Line = {
  readonly sequence: number;
  readonly entryId: string;
  readonly step: BookedStep;
  readonly at: Date;
  readonly payoutId: string;
  /** In minor units. Negative if money left the account. */
  readonly amount: bigint;
  /** The fees included in the amount. Negative if fees were returned. */
  readonly fees: bigint;
  /** The account's total after the line: available and held money. */
  readonly balance: bigint;
  readonly note: string;
  readonly previousHash: string;
  readonly hash: string;
};

/** A line with the data of its payout. */
export type StatementLine = Line & {
  readonly referenceId: string;
  readonly beneficiaryName: string;
  /** In Latin letters, as sent to the bank; `""` if the merchant gave none. */
  readonly beneficiaryNameLatin: string;
  /** The payout's transfer method; `""` for a line without a payout. */
  readonly transferMethod: string;
  /** The payout that this line's payout reissues, and the one that reissues it; `""` for none. */
  readonly reissueOf: string;
  readonly reissuedAs: string;
};

export type Balances = { readonly available: bigint; readonly held: bigint };

/** The number and the sum of a period's lines in one direction. */
export type LineTotal = { readonly count: number; readonly sum: bigint };

/** A statement without its lines. */
export type Period = {
  readonly account: { readonly id: string; readonly currency: string };
  readonly from: Date;
  readonly to: Date;
  readonly opening: Balances;
  readonly closing: Balances;
  readonly credits: LineTotal;
  readonly debits: LineTotal;
};

/** A format whose file is written in parts: `begin`, `lines` any number of times, and `end`. */
export type PartedFormat = {
  begin(period: Period, createdAt: Date): string;
  lines(lines: readonly StatementLine[], currency: string): string;
  /** `balance` is the account's total at `to`. */
  end(to: Date, balance: bigint, currency: string): string;
};

/** Returns the total balance: available and held money. */
export function totalOf({ available, held }: Balances): bigint {
  return available + held;
}

/** Describes which payout a line's payout reissues, and which one reissues it. */
export function reissueTexts({ reissueOf, reissuedAs }: StatementLine): string[] {
  return [
    reissueOf === "" ? "" : `pays ${reissueOf} again`,
    reissuedAs === "" ? "" : `paid again by ${reissuedAs}`,
  ];
}
