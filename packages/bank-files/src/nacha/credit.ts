import type { Refused } from "@disburse/kernel/refusal.ts";

/** `PPD` pays a person, `CCD` a company. */
export type EntryClass = "PPD" | "CCD";

/** What kind of account an entry is for. */
export type AccountType = "checking" | "savings";

/** A credit to be written. Never logged: it has a name and an account number. */
export type AchCredit = {
  readonly payoutId: string;
  readonly entryClass: EntryClass;
  /** ABA routing number, nine digits. */
  readonly routing: string;
  /** Up to 17 characters. */
  readonly account: string;
  readonly accountType: AccountType;
  /** Cents, up to 99,999,999.99 dollars. */
  readonly cents: bigint;
  readonly name: string;
  /** The day on which it is to settle, `yyyy-mm-dd`: a banking day of the Federal Reserve. */
  readonly effectiveOn: string;
  /** Up to 80 characters, in one addenda record. */
  readonly remittance?: string;
};

/** How a bank (the ODFI) takes files of an originator. */
export type AchProfile = {
  readonly destination: { readonly routing: string; readonly name: string };
  /** Ten characters as the bank gave them out: a routing number after a blank, or a company id. */
  readonly origin: { readonly id: string; readonly name: string };
  readonly company: { readonly name: string; readonly id: string; readonly description: string };
  /** The first eight digits of the ODFI's routing number: trace numbers begin with them. */
  readonly odfi: string;
  /** Where the bank wants each batch to sum up to nothing: the account that it debits. */
  readonly balancedBy?: {
    readonly routing: string;
    readonly account: string;
    readonly accountType: AccountType;
  };
  readonly lineEnd: "\n" | "\r\n";
  readonly entriesMax: number;
};

/** One file to be written. */
export type AchFile = {
  /** When it is made, in the bank's zone: `yyyy-mm-dd` and `hh:mm`. */
  readonly createdOn: string;
  readonly createdAt: string;
  /** Files of the day before it, 0 to 35: the file id modifier `A` to `Z`, `0` to `9`. */
  readonly ordinal: number;
  /** The first trace number's last seven digits, from 1; none comes twice in a day. */
  readonly traceFrom: number;
  readonly credits: readonly AchCredit[];
};

/** What cannot be written, and why, without personal data. */
export type AchFault = {
  readonly payoutId?: string;
  readonly field: string;
  readonly problem: string;
};

/** Nothing was written: every fault is named. */
export type AchUnwritable = Refused<"UNWRITABLE"> & { readonly faults: readonly AchFault[] };

/** The numbers by which a return names an entry, beside its company's id and its amount. */
export type WrittenTrace = {
  readonly payoutId: string;
  readonly trace: string;
  readonly transactionCode: string;
};

/** A file as it is to be stored, hashed and uploaded. */
export type WrittenAch = {
  readonly bytes: Uint8Array;
  /** Store these: a return has no other reference to a payment. */
  readonly traces: readonly WrittenTrace[];
  /** The first trace number's last seven digits of the next file of the day. */
  readonly nextTrace: number;
};
