import type { Refused } from "@disburse/kernel/refusal.ts";
import type { Money } from "../../text/minor-units.ts";
import type { Characters } from "../../text/swift-characters.ts";

/** The supported versions of the customer credit transfer initiation. */
export type InitiationVersion = "pain.001.001.03" | "pain.001.001.09";

/**
 * A party's structured address. CBPR+ rejects addresses without town and country since 14 November
 * 2026. A street of more than 70 characters, or a region of more than 35, is written in at most two
 * address lines of 70 characters. The town has at most 35 characters, the house number and the
 * postcode 16 (`kernel/payment-methods`). The placeholders `-` and `N/A` are left out.
 */
export type PostalAddress = {
  readonly street?: string;
  readonly houseNumber?: string;
  readonly postcode?: string;
  readonly town: string;
  readonly region?: string;
  /** ISO 3166-1 alpha-2 country code. */
  readonly country: string;
};

/** An account by its IBAN, or by its number at its bank (up to 34 characters). */
export type Account =
  | { readonly kind: "iban"; readonly iban: string }
  | { readonly kind: "number"; readonly number: string };

/**
 * A bank by its BIC, its number in a national clearing system, or both. `system` is a code of ISO
 * 20022's list of clearing systems: `USABA` (ABA number), `INFSC` (IFSC), `GBDSC` (sort code).
 */
export type Agent = {
  readonly bic?: string;
  readonly clearing?: { readonly system: string; readonly member: string };
};

/**
 * The party that pays the charges: `DEBT` the debtor, `CRED` the creditor, `SHAR` each side its
 * own. `SLEV` follows the rules of the scheme (SEPA).
 */
export type ChargeBearer = "DEBT" | "CRED" | "SHAR" | "SLEV";

/** The account that payments are debited to, and its bank. */
export type DebtorAccount = { readonly account: Account; readonly agent: Agent };

/** A payment to write. Never log it: it contains names and account numbers. */
export type Payment = {
  readonly payoutId: string;
  /** A UUID of version 4. Store it before you write the file. pain.001.001.03 cannot carry it. */
  readonly uetr?: string;
  readonly amount: Money;
  readonly debtor: DebtorAccount;
  /**
   * The day on which the bank must debit the account, `yyyy-mm-dd`. Compute it with `calendar/`.
   */
  readonly requestedOn: string;
  readonly chargeBearer: ChargeBearer;
  readonly creditor: {
    readonly name: string;
    readonly address?: PostalAddress;
    readonly account: Account;
    /** Optional if the IBAN identifies the bank (SEPA). */
    readonly agent?: Agent;
  };
  /** The purpose of the payment in words, up to 140 characters. */
  readonly remittance?: string;
  /** A code of ISO 20022's purpose list: up to four capital letters or digits (`SUPP`, `SALA`). */
  readonly purpose?: string;
};

/** The file settings of one bank, from the bank's handbook. Each rail has one profile. */
export type InitiationProfile = {
  readonly version: InitiationVersion;
  readonly characters: Characters;
  /** The sender of the file, with the identification that the bank assigned. */
  readonly initiatingParty: { readonly name: string; readonly id?: string };
  readonly debtor: { readonly name: string; readonly address?: PostalAddress };
  /**
   * True if the bank books each group of payments as one sum. The bank's reports then identify only
   * the group.
   */
  readonly batchBooking: boolean;
  /** `SEPA`, `URGP` or `NURG`; the bank's default if absent. */
  readonly serviceLevel?: string;
  readonly localInstrument?: string;
  readonly categoryPurpose?: string;
  /** The maximum length of a creditor's name: 140 characters by ISO 20022, 70 by SEPA. */
  readonly nameMax: number;
  /** True if each payment must have the addresses of debtor and creditor (SWIFT). */
  readonly addressRequired: boolean;
  /** The maximum payments of one file, from the bank's handbook. */
  readonly paymentsMax: number;
};

/**
 * One file to write. `messageId` has at most 28 characters and must stay the same on every retry.
 */
export type Initiation = {
  readonly messageId: string;
  readonly createdAt: Date;
  readonly payments: readonly Payment[];
};

/** A part that cannot be written, with the reason for operators. It contains no personal data. */
export type Fault = {
  readonly payoutId?: string;
  readonly field: string;
  readonly problem: string;
};

/**
 * The file was not written. `faults` lists every fault, so that the caller can leave those payments
 * out.
 */
export type Unwritable = Refused<"UNWRITABLE"> & { readonly faults: readonly Fault[] };
