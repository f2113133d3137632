import type { Refused } from "@disburse/kernel/refusal.ts";
import type {
  BankStore,
  FileDocument,
  FindingKind,
  PaymentDocument,
  StoredFault,
  StoredMember,
} from "./documents.ts";
import type { Order } from "./payments.ts";
import type { BankVerdict } from "./verdicts.ts";

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

/** What of a file was not read or does not agree; without content. */
export type UnreadPart = { readonly place: string; readonly problem: string };

/** By what an answer names payments of ours. */
export type Wanted = {
  readonly payoutIds: readonly string[];
  readonly uetrs: readonly string[];
  readonly bankReferences: readonly string[];
  readonly files: readonly string[];
  readonly blocks: readonly string[];
  readonly traces: readonly string[];
};

/** A day of an account by its statement, in minor units. */
export type DayBalance = {
  readonly day: string;
  readonly currency: string;
  readonly opening: bigint;
  readonly closing: bigint;
};

/** Something that operators have to look at, as it is found in a file. */
export type Found = {
  readonly kind: FindingKind;
  readonly what: string;
  readonly place?: string;
  readonly payoutId?: string;
  readonly amount?: string;
  /** Personal data, to be sealed. */
  readonly details?: string;
};

/** What a file of the bank means for payments. */
export type Meaning = {
  readonly verdicts: readonly BankVerdict[];
  readonly found: readonly Found[];
};

/** A file of the bank, read. Never logged: it has names and account numbers. */
export type Answer = {
  /** For operators: `status`, `statement`, `notification`, `ach`. */
  readonly kind: string;
  readonly unread: readonly UnreadPart[];
  readonly wanted: Wanted;
  readonly balances: readonly DayBalance[];
  readonly found: readonly Found[];
  /** What it means, where these are the payments that it names. */
  meaningFor(payments: readonly PaymentDocument[]): Meaning;
};

/** A format of files, for one rail. */
export type BankFormat = {
  /** Reserves what a new file of so many payments needs for itself, before it is stored. */
  reserve?(store: BankStore, payments: number, at: Date): Promise<FileDocument["numbers"]>;
  /** The same values make the same bytes. */
  write(file: FileDocument, payments: readonly PaymentToWrite[]): Promise<Writing | ProfileFaults>;
  read(bytes: Uint8Array): Answer | Refused<"UNREADABLE">;
  /**
   * Where a bank confirms nothing: payments that settled on this day or before it count as settled
   * now, unless they came back.
   */
  settledThrough?(now: Date): string;
};
