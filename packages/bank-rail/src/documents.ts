import type { Booking, ChargeBooking } from "@disburse/bank-files/matching/sent-payment.ts";
import type { UnknownOutcome } from "@disburse/bank-files/matching/unknown-outcome.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { FailureCode } from "@disburse/kernel/failure.ts";
import type { Collection, Decimal128 } from "mongodb";

/**
 * The state of a payment. `waiting`: it is in no file yet. `filed`: it is in a file. `settled`,
 * `rejected` and `returned`: the bank reported this outcome, or the rail concluded it. `withdrawn`:
 * the payment was cancelled before a file contained it.
 */
export type PaymentState = "waiting" | "filed" | "settled" | "rejected" | "returned" | "withdrawn";

/** The file window of a payment, by the bank's calendar. */
export type StoredPlan = {
  /** The time from which a file may include the payment. */
  due_at: Date;
  /** The bank's cut-off. A file that is written later belongs to another window. */
  closes_at: Date;
  /** The banking day of the window and the banking day of settlement, as `yyyy-mm-dd`. */
  on: string;
  settles_on: string;
};

/** A failure, with Disburse's code and the rail's own code. */
export type StoredFailure = { code: FailureCode; rail_code?: string };

export type StoredReturn = {
  amount_minor: Decimal128;
  /** The difference between the amount sent and the amount returned. */
  short_minor?: Decimal128;
  at: Date;
};

/** A charge that a bank deducted for a payment. */
export type StoredCharge = { amount_minor: Decimal128; currency: string };

/** A payment that a bank rail has accepted. Its id is the payout's id. */
export type PaymentDocument = {
  _id: string;
  schema_version: number;
  rail: string;
  /** Grows with each write. A write based on an older revision changes nothing. */
  revision: number;
  state: PaymentState;
  currency: string;
  amount_minor: Decimal128;
  /** The debited account, as bank statements identify it. */
  account: string;
  /**
   * The payment's unique end-to-end transaction reference: a UUID of version 4 that never changes.
   */
  uetr: string;
  plan: StoredPlan;
  /**
   * The beneficiary with account and bank, encrypted. Removed when a written file contains the
   * payment, or when the payment has ended.
   */
  sealed?: string;
  /**
   * The file that contains the payment. It changes only if that file is void or could not hold the
   * payment.
   */
  file?: string;
  /** The number of files with this payment that became void because they could not be written. */
  void_files?: number;
  /**
   * The block of the file (`PmtInfId`), or the NACHA trace number. The bank's responses may use it
   * to identify the payment.
   */
  block?: string;
  trace?: string;
  /**
   * Values of the written NACHA entry. A return repeats the company id. The transaction code of a
   * return depends on that of the entry.
   */
  company_id?: string;
  transaction_code?: string;
  /** The bank's own reference, if it gave one. */
  bank_reference?: string;
  /** Bookings of the payment in statements and notifications. */
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
  /** True until the payout has read the latest change of the payment. */
  report_pending?: boolean;
  accepted_at: Date;
  updated_at: Date;
};

/**
 * The state of a file. `undecided`: the rail doesn't know whether the bank received the file, so
 * operators decide.
 */
export type FileState = "claiming" | "written" | "sending" | "undecided" | "sent" | "void";

/** A payment in a file, with the names that the bank's responses use for that payment. */
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
  /** The rail's name while the file needs work. Absent otherwise. */
  open?: string;
  /** The payments that the file tries to claim. Each claimed payment refers to the file. */
  asked: string[];
  /** Numbers that the file's format needs, reserved for this file. */
  numbers?: { ordinal: number; trace_from: number };
  closes_at: Date;
  created_at: Date;
  updated_at: Date;
  name?: string;
  sha256?: string;
  size?: number;
  members?: StoredMember[];
  left_out?: StoredFault[];
  /** Faults in the bank profile that prevent writing, or the reason why the file is void. */
  problems?: string[];
  /**
   * The rail's name while some of the file's payments settle without a confirmation, when a period
   * ends. Set when the file is written.
   */
  settling?: string;
  /** The number of uploads that have started. The temporary file name at the bank includes it. */
  attempt?: number;
  /** The deadline for renaming the file to its final name at the bank, by the database's clock. */
  sending_until?: Date;
  sent_at?: Date;
  /** The evidence that the bank has the file. */
  sent_by?: "upload" | "place" | "answer" | "operator";
  /** The ids of operations in which operators decided on the file. */
  decided?: string[];
};

/**
 * The state of a file from the bank. `set_aside`: several attempts to read the file failed, so the
 * rail no longer tries.
 */
export type ReceivedState = "stored" | "taken" | "unreadable" | "set_aside";

/**
 * A file from the bank. Files with equal bytes are stored once, by their hash. The bytes are in
 * `bank_contents`.
 */
export type ReceivedDocument = {
  /** The rail's name and the file's hash: `rail sha256`. */
  _id: string;
  schema_version: number;
  rail: string;
  sha256: string;
  size: number;
  /**
   * The name, size and time of each listing of this file in the bank's folder. A poll skips
   * listings that are already known.
   */
  seen: string[];
  state: ReceivedState;
  /** The rail's name until the file is processed. Absent afterwards. */
  open?: string;
  /** The number of attempts to read the file. An attempt that crashed the process also counts. */
  attempts?: number;
  /** The number of times that operators requested a new reading of the file. */
  reads: number;
  read_again_by?: string[];
  /**
   * The hash of the file that operators supplied to replace the bank's. The bank's file stays
   * stored.
   */
  corrected_sha256?: string;
  kind?: string;
  /** The number of entries and payment reports in the file, by verdict. */
  verdicts?: Record<string, number>;
  received_at: Date;
  taken_at?: Date;
};

/** The account's balances on one day, from the statement for that day. */
export type BalanceDocument = {
  /** The rail's name and the statement's day: `rail yyyy-mm-dd`. */
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
  /** An entry, status or return in a bank's file matches no payment of the rail. */
  "unmatched",
  /** A part of a file was not read, or the part is inconsistent. */
  "unread",
  /** The file was not fetched, or no part of the file could be read. */
  "unreadable",
  /** Several attempts to read a file crashed the reader's thread or the process. */
  "set_aside",
  /** The bank may be waiting for the platform to confirm a payment. */
  "waiting",
  /**
   * The balances and entries of a statement do not add up, or the statement contradicts an earlier
   * one.
   */
  "balance",
  /** The bank proposes corrected data for a beneficiary. */
  "change",
  /** A file was sent, and it is unknown whether the bank received the file. */
  "undecided",
  /** A file could not be written, or a payment fits in no file. */
  "unwritten",
] as const;

export type FindingKind = (typeof findingKinds)[number];

/** An issue that stays open until operators handle it. */
export type FindingDocument = {
  /** Derived from the issue, so that the same issue always gets the same id. */
  _id: string;
  schema_version: number;
  rail: string;
  kind: FindingKind;
  /** A code from a closed list, or a message of the file reader. Contains no personal data. */
  what: string;
  payout_id?: string;
  /** The name of the file, which is from the bank or for the bank, and the place in the file. */
  file?: string;
  place?: string;
  /** The amount of an entry as decimal text, with its currency and direction. */
  amount?: string;
  /** The corrected data that a bank proposes, encrypted. */
  sealed?: string;
  /** The bank's file (`bank_received`), and the reading in which the issue was found. */
  received?: string;
  reading?: number;
  /**
   * True if the finding may hide a report of the bank about payments. While such a finding is open,
   * the rail draws no conclusion from a missing response. This applies to the named payment, or to
   * all payments that were filed before the finding.
   */
  holds?: boolean;
  open?: boolean;
  created_at: Date;
  /** The ids of operations that applied outcomes to payments and left the finding open. */
  applied_by?: string[];
  handled?: {
    person: string;
    operation: string;
    note: string;
    at: Date;
    how: "noted" | "read_again" | "nothing_of_ours" | "outcomes";
  };
};

/** An encrypted part of a file's bytes. */
export type ContentDocument = {
  /** The owner of the file, its hash and the part's number: `owner sha256 number`. */
  _id: string;
  schema_version: number;
  sealed: string;
};

/** A counter whose numbers are each used once: the last reserved number and the next one. */
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
