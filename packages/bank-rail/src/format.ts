import type { JudgingProfile } from "@disburse/bank-files/matching/judge.ts";
import type { Refused } from "@disburse/kernel/refusal.ts";
import type {
  BankStore,
  FileDocument,
  PaymentDocument,
  StoredFault,
  StoredMember,
} from "./documents.ts";
import type { Order } from "./payments.ts";
import type { FailureOf } from "./verdicts.ts";

/** A payment with its order for a file. Never logged. */
export type PaymentToWrite = { readonly payment: PaymentDocument; readonly order: Order };

export type WrittenFile = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly members: readonly StoredMember[];
};

/**
 * A file, and the payments that are left out since they cannot be written. `file` is `undefined` if
 * no payment is left.
 */
export type Writing = {
  readonly file: WrittenFile | undefined;
  readonly leftOut: readonly StoredFault[];
};

/** The profile's faults that keep the rail from writing any file, as text for operators. */
export type ProfileFaults = Refused<"UNWRITABLE"> & { readonly problems: readonly string[] };

/**
 * The reason why these payments make no file: a defect of the writer or of a payment, a breach of
 * the schema, or a limit of one file. A file of fewer payments may work. Without personal data.
 */
export type FileDefect = Refused<"DEFECT"> & { readonly problems: readonly string[] };

export type BankFormat = {
  /** Reserves the numbers that a new file of so many payments needs, before the file is stored. */
  reserve?(store: BankStore, payments: number, at: Date): Promise<FileDocument["numbers"]>;
  readonly judging: JudgingProfile;
  readonly failureOf: FailureOf;
  /** The maximum sum of one file, in minor units. */
  readonly sumMax: bigint;
  /** Writes the same bytes for the same values. An exception is a defect. */
  write(
    file: FileDocument,
    payments: readonly PaymentToWrite[],
  ): Promise<Writing | ProfileFaults | FileDefect>;
  /** Writes a payment that fits any file. Any problem is one of the profile or the writer. */
  check(): Promise<readonly string[]>;
  /**
   * Present if the bank confirms no settlement. Payments with this settlement day or an earlier one
   * count as settled now, unless they were returned.
   */
  settledThrough?(now: Date): string;
};
