import type { JudgingProfile } from "@disburse/bank-files/matching/judge.ts";
import type { Refused } from "@disburse/kernel/refusal.ts";
import type {
  BankStore,
  FileDocument,
  PaymentDocument,
  StoredFault,
  StoredMember,
} from "./documents.ts";
import type { FailureOf } from "./incoming/verdicts.ts";
import type { Order } from "./payments.ts";

/** A payment and its decrypted order, which are never logged. */
export type PaymentToWrite = { readonly payment: PaymentDocument; readonly order: Order };

export type WrittenFile = {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly members: readonly StoredMember[];
};

/**
 * A written file and the payments that could not be written. `file` is `undefined` if no payment
 * could be written.
 */
export type Writing = {
  readonly file: WrittenFile | undefined;
  readonly leftOut: readonly StoredFault[];
};

/**
 * Faults in the bank profile that prevent the rail from writing any file, as text for operators.
 */
export type ProfileFaults = Refused<"UNWRITABLE"> & { readonly problems: readonly string[] };

/**
 * The reason why these payments can't form one file: a defect of the writer or of a payment, a
 * breach of the schema, or a limit of one file. A file with fewer payments may work. The text
 * contains no personal data.
 */
export type FileDefect = Refused<"DEFECT"> & { readonly problems: readonly string[] };

export type BankFormat = {
  /**
   * Reserves the numbers that a new file with this many payments needs. Called before the file is
   * stored.
   */
  reserve?(store: BankStore, payments: number, at: Date): Promise<FileDocument["numbers"]>;
  readonly judging: JudgingProfile;
  readonly failureOf: FailureOf;
  /** The maximum sum of one file, in minor units. */
  readonly sumMax: bigint;
  /** Must write the same bytes for the same values. An exception counts as a defect. */
  write(
    file: FileDocument,
    payments: readonly PaymentToWrite[],
  ): Promise<Writing | ProfileFaults | FileDefect>;
  /**
   * Writes a sample payment that is always valid. Any problem is therefore a fault of the profile
   * or the writer.
   */
  check(): Promise<readonly string[]>;
  /**
   * Present if the bank doesn't confirm settlement. Returns the latest settlement day whose
   * payments count as settled now, unless they were returned.
   */
  settledThrough?(now: Date): string;
};
