import type { Booking, ChargeBooking } from "@disburse/bank-files/matching/sent-payment.ts";
import type { UnknownOutcome } from "@disburse/bank-files/matching/unknown-outcome.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { FailureCode } from "@disburse/kernel/failure.ts";
import type { Collection, Decimal128 } from "mongodb";

/**
 * Where a payment stands: it waits for a file; a file has it; its bank says, or lets us conclude,
 * that it was debited, that it never will be, or that it came back; or it was taken back before a
 * file had it.
 */
export type PaymentState = "waiting" | "filed" | "settled" | "rejected" | "returned" | "withdrawn";

/** When a payment leaves, by the bank's calendar. */
export type StoredPlan = {
  /** When it goes into a file. */
  due_at: Date;
  /** The bank's cut-off: a file that is later is for another window. */
  closes_at: Date;
  /** The banking day of the window, and the one of settlement: `yyyy-mm-dd`. */
  on: string;
  settles_on: string;
};

/** Why a payment failed, in our own words and the rail's. */
export type StoredFailure = { code: FailureCode; rail_code?: string };

/** A payment that came back. */
export type StoredReturn = {
  amount_minor: Decimal128;
  /** What is missing of the amount. */
  short_minor?: Decimal128;
  at: Date;
};

/** A charge that a bank took for a payment. */
export type StoredCharge = { amount_minor: Decimal128; currency: string };

/** A payment that a rail of a bank has taken, by its payout's id. */
export type PaymentDocument = {
  _id: string;
  schema_version: number;
  rail: string;
  /** One more with each write: a writer that read an older one changes nothing. */
  revision: number;
  state: PaymentState;
  currency: string;
  amount_minor: Decimal128;
  /** The account that is debited, as statements name it. */
  account: string;
  /** UUID of version 4, given once. */
  uetr: string;
  plan: StoredPlan;
  /** Beneficiary, account and bank, sealed; gone once the payment has an end. */
  sealed?: string;
  /** The file that has it: for ever, unless that file is void or could not hold it. */
  file?: string;
  /** Files that had it and are void, because they could not be written. */
  void_files?: number;
  /** Its block in the file (`PmtInfId`), or its trace number: by what answers may name it. */
  block?: string;
  trace?: string;
  /** Of an entry of NACHA, as it was written: a return repeats the first and answers the second. */
  company_id?: string;
  transaction_code?: string;
  /** The bank's own reference, where one was named. */
  bank_reference?: string;
  /** Its bookings, as statements and notifications name them. */
  debits?: Booking[];
  returns?: Booking[];
  charge_bookings?: ChargeBooking[];
  /** What merchants read of a settled payment; never changes. */
  reference?: string;
  /** Charges on top of the amount, in the order in which they came: an index names one. */
  charges?: StoredCharge[];
  failure?: StoredFailure;
  returned?: StoredReturn;
  /** Why operators look at it, since when. */
  doubt?: { why: UnknownOutcome; at: Date };
  /** Set while its payout has not asked for what has changed. */
  owed?: boolean;
  accepted_at: Date;
  updated_at: Date;
};

/** Where a file of ours stands; `undecided`: an operator has to say whether the bank got it. */
export type FileState = "claiming" | "written" | "sending" | "undecided" | "sent" | "void";

/** A payment of a file, and by what answers name it there. */
export type StoredMember = {
  id: string;
  block?: string;
  trace?: string;
  company_id?: string;
  transaction_code?: string;
};

/** Why a payment was left out of a file; without personal data. */
export type StoredFault = { id: string; field: string; problem: string };

/** A file of ours. Its bytes are in `bank_contents`, under its hash, before it says so. */
export type FileDocument = {
  /** The message id, which belongs to it for ever. */
  _id: string;
  schema_version: number;
  rail: string;
  revision: number;
  state: FileState;
  /** The rail, while there is work on it. */
  open?: string;
  /** The payments that it asks for; those that it got name it. */
  asked: string[];
  /** Numbers that it has reserved for its format. */
  numbers?: { ordinal: number; trace_from: number };
  closes_at: Date;
  created_at: Date;
  updated_at: Date;
  name?: string;
  sha256?: string;
  size?: number;
  members?: StoredMember[];
  left_out?: StoredFault[];
  /** Why it cannot be written: the profile's faults; of a void file, why it is void. */
  problems?: string[];
  /** The rail, from when it is written, while payments of it settle by time alone. */
  settling?: string;
  /** How often its upload was begun: its temporary name there has it. */
  attempt?: number;
  /** Until when it may get its own name at the bank, by the database's clock. */
  sending_until?: Date;
  sent_at?: Date;
  /** How it is known to be sent. */
  sent_by?: "upload" | "place" | "operator";
  /** The operations by which operators decided on it. */
  decided?: string[];
};

/** Whether a file of the bank was read; `set_aside`: reading it failed again and again. */
export type ReceivedState = "stored" | "taken" | "unreadable" | "set_aside";

/** A file of the bank, whole: its bytes are in `bank_contents`. Taken once by its hash. */
export type ReceivedDocument = {
  /** `rail sha256`. */
  _id: string;
  schema_version: number;
  rail: string;
  sha256: string;
  size: number;
  /** Under which names, sizes and times it lay in the folder: a look skips what is known. */
  seen: string[];
  state: ReceivedState;
  /** The rail, while it is not taken. */
  open?: string;
  /** Attempts to read it that were begun: one that ends its process counts. */
  attempts?: number;
  /** How often operators had it read again, and the operation of each time. */
  reads: number;
  read_again_by?: string[];
  /** Content that operators put in place of what the bank sent, which stays. */
  corrected_sha256?: string;
  kind?: string;
  /** What it says of payments and entries, by verdict. */
  verdicts?: Record<string, number>;
  received_at: Date;
  taken_at?: Date;
};

/** A day's balances of the account, by its statement. */
export type BalanceDocument = {
  /** `rail yyyy-mm-dd`. */
  _id: string;
  schema_version: number;
  rail: string;
  day: string;
  currency: string;
  opening_minor: Decimal128;
  closing_minor: Decimal128;
  /** Opening and entries make the closing. */
  is_balanced: boolean;
  received: string;
  at: Date;
};

/** Kinds of findings that operators have to handle. */
export const findingKinds = [
  /** The outcome of a payment of ours is unknown. */
  "doubt",
  /** An entry, status or return is matched to no payment of ours. */
  "unmatched",
  /** A part of a file was not read, or does not agree. */
  "unread",
  /** A file was not read at all. */
  "unreadable",
  /** A file could not be read in several attempts: it ended its thread or process. */
  "set_aside",
  /** The bank may wait for our confirmation of a payment. */
  "waiting",
  /** A statement whose balances and entries do not agree, or that contradicts an earlier one. */
  "balance",
  /** A bank proposes other data of a beneficiary. */
  "change",
  /** A file of ours that the bank may have or not. */
  "undecided",
  /** A file of ours that could not be written, or the payment that no file can hold. */
  "unwritten",
] as const;

/** A kind of finding. */
export type FindingKind = (typeof findingKinds)[number];

/** One thing that operators have to look at, until one of them has. */
export type FindingDocument = {
  /** The same however often it is found. */
  _id: string;
  schema_version: number;
  rail: string;
  kind: FindingKind;
  /** Of a closed list, or a reader's words; without personal data. */
  what: string;
  payout_id?: string;
  /** The file of the bank or of ours, and where in it. */
  file?: string;
  place?: string;
  /** Decimal text and currency of an entry, and whether it came or went. */
  amount?: string;
  /** What a bank proposes, sealed. */
  sealed?: string;
  /** The file of the bank (`bank_received`) that it is about, and the reading that found it. */
  received?: string;
  reading?: number;
  /**
   * It may hide what a bank says of payments. While it is open, silence proves nothing: of the
   * payment that it names, or of all that were filed before it.
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

/** A part of a file's bytes, sealed. */
export type ContentDocument = {
  /** `owner sha256 number`. */
  _id: string;
  schema_version: number;
  sealed: string;
};

/** Numbers that are given out once: what was given last, and what is next. */
export type CounterDocument = { _id: string; schema_version: number; given: number; next: number };

/** Where the rails of banks keep what they do. */
export type BankStore = {
  readonly payments: Collection<PaymentDocument>;
  readonly files: Collection<FileDocument>;
  readonly received: Collection<ReceivedDocument>;
  readonly balances: Collection<BalanceDocument>;
  readonly findings: Collection<FindingDocument>;
  readonly contents: Collection<ContentDocument>;
  readonly counters: Collection<CounterDocument>;
};

/** The payments and files of all rails of banks. */
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
