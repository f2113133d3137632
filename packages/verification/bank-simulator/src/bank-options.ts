import type { CustomerAccount } from "./instructions.ts";
import type { OutcomeOf } from "./outcomes.ts";

export type BankOptions = {
  /** Prefix of the bank's message references. Contains only letters and digits. */
  readonly name: string;
  readonly outcomeOf: OutcomeOf;
  /**
   * The bank's reaction to a repeated file: it refuses the file with a report, ignores it, or pays
   * again.
   */
  readonly duplicates: "refuse" | "ignore" | "pay";
  /** Status of an accepted payment: in progress or settled. */
  readonly accepted: "ACSP" | "ACSC";
  /** True if the bank books each block in one sum. By default, the file decides. */
  readonly inOneSum?: boolean;
  /** Each account's opening balance in hundredths. */
  readonly opening: bigint;
  readonly returnCharge: bigint;
  readonly debitCharge: bigint;
  readonly achAccount: CustomerAccount;
  readonly now: () => Date;
};

/** Settles all payments and refuses repeated files. */
export const bankDefaults: BankOptions = {
  name: "BANK",
  outcomeOf: () => "settled",
  duplicates: "refuse",
  accepted: "ACSP",
  opening: 100_000_000n,
  returnCharge: 700n,
  debitCharge: 0n,
  achAccount: { kind: "number", id: "ACH-SETTLEMENT" },
  now: () => new Date(),
};
