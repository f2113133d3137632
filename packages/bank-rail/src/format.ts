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

/** A payment with what a file says of it. Never logged. */
export type PaymentToWrite = { readonly payment: PaymentDocument; readonly order: Order };

/** A file as it leaves. */
export type WrittenFile = {
  /** Its name at the bank. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly members: readonly StoredMember[];
};

/** A file, and the payments that cannot be written: the others go. Without any there is no file. */
export type Writing = {
  readonly file: WrittenFile | undefined;
  readonly leftOut: readonly StoredFault[];
};

/** Why no file of the rail can be written at all: its profile, in words for operators. */
export type ProfileFaults = Refused<"UNWRITABLE"> & { readonly problems: readonly string[] };

/**
 * Why these payments make no file: a defect of the writer or of a payment, a breach of the schema,
 * or a limit of one file. Fewer of them may make one. Without personal data.
 */
export type FileDefect = Refused<"DEFECT"> & { readonly problems: readonly string[] };

/** A format of files, for one rail. */
export type BankFormat = {
  /** Reserves what a new file of so many payments needs for itself, before it is stored. */
  reserve?(store: BankStore, payments: number, at: Date): Promise<FileDocument["numbers"]>;
  /** How files of the bank are judged. */
  readonly judging: JudgingProfile;
  readonly failureOf: FailureOf;
  /** The largest sum of one file, in minor units. */
  readonly sumMax: bigint;
  /** The same values make the same bytes. An exception is a defect. */
  write(
    file: FileDocument,
    payments: readonly PaymentToWrite[],
  ): Promise<Writing | ProfileFaults | FileDefect>;
  /** Writes a payment that fits any file. Its problems are the profile's or the writer's. */
  check(): Promise<readonly string[]>;
  /**
   * Where a bank confirms nothing: payments that settled on this day or before it count as settled
   * now, unless they came back.
   */
  settledThrough?(now: Date): string;
};
