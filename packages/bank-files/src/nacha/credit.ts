import type { Refused } from "@disburse/kernel/refusal.ts";

/** `PPD` pays a person, `CCD` a company. */
export type EntryClass = "PPD" | "CCD";

export type AccountType = "checking" | "savings";

/** A credit to write. Never log it: it contains a name and an account number. */
export type AchCredit = {
  readonly payoutId: string;
  readonly entryClass: EntryClass;
  /** Nine digits of the ABA routing number. */
  readonly routing: string;
  /** The account number, up to 17 characters. */
  readonly account: string;
  readonly accountType: AccountType;
  /** The amount in cents, up to 99,999,999.99 dollars. */
  readonly cents: bigint;
  readonly name: string;
  /** The settlement day, `yyyy-mm-dd`: a banking day of the Federal Reserve. */
  readonly effectiveOn: string;
  /** Up to 80 characters, in one addenda record. */
  readonly remittance?: string;
};

/** File settings of a bank (the ODFI) for an originator. */
export type AchProfile = {
  readonly destination: { readonly routing: string; readonly name: string };
  /** Ten characters that the bank assigned: a routing number after a blank, or a company id. */
  readonly origin: { readonly id: string; readonly name: string };
  readonly company: { readonly name: string; readonly id: string; readonly description: string };
  /** The first eight digits of the ODFI's routing number. All trace numbers begin with them. */
  readonly odfi: string;
  /**
   * The account of the balancing debit. Set it if the bank requires that each batch sums to zero.
   */
  readonly balancedBy?: {
    readonly routing: string;
    readonly account: string;
    readonly accountType: AccountType;
  };
  readonly lineEnd: "\n" | "\r\n";
  readonly entriesMax: number;
};

export type AchFile = {
  /** Creation time in the bank's zone: `yyyy-mm-dd` and `hh:mm`. */
  readonly createdOn: string;
  readonly createdAt: string;
  /**
   * The number of earlier files on the same day, 0 to 35. It gives the file id modifier: `A` to
   * `Z`, then `0` to `9`.
   */
  readonly ordinal: number;
  /**
   * The last seven digits of the first trace number. They start at 1, and must not repeat within a
   * day.
   */
  readonly traceFrom: number;
  readonly credits: readonly AchCredit[];
};

/** A part that cannot be written, with the reason. It contains no personal data. */
export type AchFault = {
  readonly payoutId?: string;
  readonly field: string;
  readonly problem: string;
};

/** The file was not written. `faults` lists every fault. */
export type AchUnwritable = Refused<"UNWRITABLE"> & { readonly faults: readonly AchFault[] };

/**
 * The trace number of a written entry. A return identifies the entry by trace number, company id
 * and amount.
 */
export type WrittenTrace = {
  readonly payoutId: string;
  readonly trace: string;
  readonly transactionCode: string;
};

/** A written NACHA file, which the caller stores and uploads. */
export type WrittenAch = {
  readonly bytes: Uint8Array;
  /** Store these trace numbers. A return has no other reference to a payment. */
  readonly traces: readonly WrittenTrace[];
  /** The last seven digits of the first trace number in the day's next file. */
  readonly nextTrace: number;
};
