import type { Booking, ChargeBooking } from "@disburse/bank-files/matching/sent-payment.ts";
import type { UnknownOutcome } from "@disburse/bank-files/matching/unknown-outcome.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { FailureCode } from "@disburse/kernel/failure.ts";
import type { Collection, Decimal128 } from "mongodb";

/**
 * The state of a payment. `waiting`: for a file. `filed`: a file has it. `settled`, `rejected`,
 * `returned`: the bank reported the outcome or the rail concluded it. `withdrawn`: taken back
 * before a file had it.
 */
export type PaymentState = "waiting" | "filed" | "settled" | "rejected" | "returned" | "withdrawn";

/** The time at which a payment leaves, by the bank's calendar. */
export type StoredPlan = {
  /** The payment goes into a file at this time. */
  due_at: Date;
  /** The bank's cut-off. A later file belongs to another window. */
  closes_at: Date;
  /** The banking days of the window and of settlement: `yyyy-mm-dd`. */
  on: string;
  settles_on: string;
};

/** A failure as Disburse's code and the rail's code. */
export type StoredFailure = { code: FailureCode; rail_code?: string };

export type StoredReturn = {
  amount_minor: Decimal128;
  /** The missing part of the amount. */
  short_minor?: Decimal128;
  at: Date;
};

/** A charge that a bank deducted for a payment. */
export type StoredCharge = { amount_minor: Decimal128; currency: string };

/** A payment that a bank rail has accepted, under its payout's id. */
export type PaymentDocument = {
  _id: string;
  schema_version: number;
  rail: string;
  /** Grows with each write. A write based on an older revision changes nothing. */
  revision: number;
  state: PaymentState;
  currency: string;
  amount_minor: Decimal128;
  /** The debited account as statements name it. */
  account: string;
  /** A UUID of version 4 that never changes. */
  uetr: string;
  plan: StoredPlan;
  /**
   * The beneficiary, account and bank, sealed. Removed once a written file has the payment, or the
   * payment has ended.
   */
  sealed?: string;
  /**
   * The file that has the payment. It changes only if that file is void or could not hold the
   * payment.
   */
  file?: string;
  /** The number of void files that had the payment and could not be written. */
  void_files?: number;
  /**
   * The block of the file (`PmtInfId`) or the trace number. The bank's responses may refer to the
   * payment by it.
   */
  block?: string;
  trace?: string;
  /**
   * From the written NACHA entry. A return repeats the company id, and its own code follows from
   * the transaction code.
   */
  company_id?: string;
  transaction_code?: string;
  /** The bank's own reference, if it gave one. */
  bank_reference?: string;
  /** Bookings of the payment as statements and notifications name them. */
  debits?: Booking[];
  returns?: Booking[];
  charge_bookings?: ChargeBooking[];
  /** The reference that merchants see on a settled payment. It never changes. */
  reference?: string;
  /** Charges on top of the amount, in order of arrival. The index identifies a charge. */
  charges?: StoredCharge[];
  failure?: StoredFailure;
  returned?: StoredReturn;
  /** The reason and start of an unknown outcome, for operators. */
  unknown_outcome?: { why: UnknownOutcome; at: Date };
  /** Set until the payout has queried the latest change. */
  report_pending?: boolean;
  accepted_at: Date;
  updated_at: Date;
};

/** The state of a file. `undecided`: operators decide whether the bank got it. */
export type FileState = "claiming" | "written" | "sending" | "undecided" | "sent" | "void";

/** A payment of a file, with the names that the bank's responses use for it. */
export type StoredMember = {
  id: string;
  block?: string;
  trace?: string;
  company_id?: string;
  transaction_code?: string;
};

/** The reason why a payment was left out of a file, without personal data. */
export type StoredFault = { id: string; field: string; problem: string };

/** A file for the bank. Its bytes are stored in `bank_contents` before `sha256` is set. */
export type FileDocument = {
  /** The message id. It never changes. */
  _id: string;
  schema_version: number;
  rail: string;
  revision: number;
  state: FileState;
  /** The rail, while there is work on the file. */
  open?: string;
  /** The payments that the file requests. Payments that it got refer to it. */
  asked: string[];
  /** Numbers that are reserved for the file's format. */
  numbers?: { ordinal: number; trace_from: number };
  closes_at: Date;
  created_at: Date;
  updated_at: Date;
  name?: string;
  sha256?: string;
  size?: number;
  members?: StoredMember[];
  left_out?: StoredFault[];
  /** The profile's faults that keep the file from being written, or the reason why it is void. */
  problems?: string[];
  /**
   * The rail, while some of the file's payments settle by time alone. Set when the file is written.
   */
  settling?: string;
  /** The number of uploads that were begun. The temporary name at the bank includes it. */
  attempt?: number;
  /**
   * The latest time, by the database's clock, at which the file may get its final name at the bank.
   */
  sending_until?: Date;
  sent_at?: Date;
  /** The evidence that the file was sent. */
  sent_by?: "upload" | "place" | "operator";
  /** The operations in which operators decided on the file. */
  decided?: string[];
};

/** The state of a file from the bank. `set_aside`: several attempts to read it failed. */
export type ReceivedState = "stored" | "taken" | "unreadable" | "set_aside";

/** A file from the bank, stored once for each hash. Its bytes are in `bank_contents`. */
export type ReceivedDocument = {
  /** Format: `rail sha256`. */
  _id: string;
  schema_version: number;
  rail: string;
  sha256: string;
  size: number;
  /** The names, sizes and times under which the folder listed the file. A poll skips known ones. */
  seen: string[];
  state: ReceivedState;
  /** The rail, until the file is processed. */
  open?: string;
  /** The number of attempts to read the file, including attempts that ended the process. */
  attempts?: number;
  /** The number of times that operators had the file read again, with the operation of each. */
  reads: number;
  read_again_by?: string[];
  /** Content that operators put in place of the bank's, which stays stored. */
  corrected_sha256?: string;
  kind?: string;
  /** The number of statements about payments and entries in the file, by verdict. */
  verdicts?: Record<string, number>;
  received_at: Date;
  taken_at?: Date;
};

/** The account's balances on a day, from its statement. */
export type BalanceDocument = {
  /** Format: `rail yyyy-mm-dd`. */
  _id: string;
  schema_version: number;
  rail: string;
  day: string;
  currency: string;
  opening_minor: Decimal128;
  closing_minor: Decimal128;
  /** True if the opening balance and the entries add up to the closing balance. */
  is_balanced: boolean;
  received: string;
  at: Date;
};

/** Kinds of findings that operators have to handle. */
export const findingKinds = [
  /** The outcome of a payment is unknown. */
  "unknown_outcome",
  /** An entry, status or return matches no payment of the rail. */
  "unmatched",
  /** A part of a file was not read or is inconsistent. */
  "unread",
  /** No part of the file was read, or the file was not fetched. */
  "unreadable",
  /** Several attempts to read a file ended its thread or process. */
  "set_aside",
  /** The bank may wait for the platform to confirm a payment. */
  "waiting",
  /** The balances and entries of a statement do not agree, or it contradicts an earlier one. */
  "balance",
  /** The bank proposes other data for a beneficiary. */
  "change",
  /** The bank may or may not have a file that was sent. */
  "undecided",
  /** A file could not be written, or no file can hold a payment. */
  "unwritten",
] as const;

export type FindingKind = (typeof findingKinds)[number];

/** An issue that stays open until operators handle it. */
export type FindingDocument = {
  /** The same id each time the issue is found. */
  _id: string;
  schema_version: number;
  rail: string;
  kind: FindingKind;
  /** A code from a closed list or a message of the reader, without personal data. */
  what: string;
  payout_id?: string;
  /** The file, from the bank or for it, and the place in the file. */
  file?: string;
  place?: string;
  /** Decimal text and currency of an entry, with its direction. */
  amount?: string;
  /** The data that a bank proposes, sealed. */
  sealed?: string;
  /** The file of the bank (`bank_received`) and the reading that found the issue. */
  received?: string;
  reading?: number;
  /**
   * True if the finding may hide the bank's statement about payments. While it is open, the rail
   * concludes nothing from a missing response: for the named payment, or for all payments that were
   * filed before the finding.
   */
  holds?: boolean;
  open?: boolean;
  created_at: Date;
  /** Operations that applied outcomes to payments and left the finding open. */
  applied_by?: string[];
  handled?: {
    person: string;
    operation: string;
    note: string;
    at: Date;
    how: "noted" | "read_again" | "nothing_of_ours" | "outcomes";
  };
};

/** A sealed part of a file's bytes. */
export type ContentDocument = {
  /** Format: `owner sha256 number`. */
  _id: string;
  schema_version: number;
  sealed: string;
};

/** Numbers that are given out once: the last one given and the next one. */
export type CounterDocument = { _id: string; schema_version: number; given: number; next: number };

export type BankStore = {
  readonly payments: Collection<PaymentDocument>;
  readonly files: Collection<FileDocument>;
  readonly received: Collection<ReceivedDocument>;
  readonly balances: Collection<BalanceDocument>;
  readonly findings: Collection<FindingDocument>;
  readonly contents: Collection<ContentDocument>;
  readonly counters: Collection<CounterDocument>;
};

/** Opens the collections that all bank rails share. */
export function openBankStore({ db }: Pick<Database, "db">): BankStore {
  return {
    payments: db.collection<PaymentDocument>("bank_payments"),
    files: db.collection<FileDocument>("bank_files"),
    received: db.collection<ReceivedDocument>("bank_received"),
    balances: db.collection<BalanceDocument>("bank_balances"),
    findings: db.collection<FindingDocument>("bank_findings"),
    contents: db.collection<ContentDocument>("bank_contents"),
    counters: db.collection<CounterDocument>("bank_counters"),
  };
}
