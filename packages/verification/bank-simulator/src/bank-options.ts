import type { FateOf } from "./fates.ts";
import type { CustomerAccount } from "./instructions.ts";

/** How the bank is. */
export type BankOptions = {
  /** Begins the references of its messages: letters and digits. */
  readonly name: string;
  readonly fateOf: FateOf;
  /** Files that it has had: refused with a report, passed over in silence, or paid once more. */
  readonly duplicates: "refuse" | "ignore" | "pay";
  /** What it says of a payment that it takes: on its way, or settled. */
  readonly accepted: "ACSP" | "ACSC";
  /** Whether it books blocks in one sum; without a word, as their files wish. */
  readonly inOneSum?: boolean;
  /** What each account begins with, and what the bank takes, in hundredths. */
  readonly opening: bigint;
  readonly returnCharge: bigint;
  readonly debitCharge: bigint;
  /** What NACHA files are debited to where they name no account. */
  readonly achAccount: CustomerAccount;
  readonly now: () => Date;
};

/** A bank without wishes: settles all, refuses what comes twice. */
export const bankDefaults: BankOptions = {
  name: "BANK",
  fateOf: () => "settled",
  duplicates: "refuse",
  accepted: "ACSP",
  opening: 100_000_000n,
  returnCharge: 700n,
  debitCharge: 0n,
  achAccount: { kind: "number", id: "ACH-SETTLEMENT" },
  now: () => new Date(),
};
