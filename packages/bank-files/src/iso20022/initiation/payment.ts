import type { Refused } from "@disburse/kernel/refusal.ts";
import type { Money } from "../../text/minor-units.ts";
import type { Characters } from "../../text/swift-characters.ts";

/** The versions of the customer credit transfer initiation that are written. */
export type InitiationVersion = "pain.001.001.03" | "pain.001.001.09";

/**
 * A party's address in its parts: CBPR+ has refused addresses without town and country since 14
 * November 2026. A street of more than 70 characters or a region of more than 35 is written in at
 * most two address lines of 70; town 35, house number and postcode 16 (`kernel/payment-methods`).
 * `-` and `N/A` are left out.
 */
export type PostalAddress = {
  readonly street?: string;
  readonly houseNumber?: string;
  readonly postcode?: string;
  readonly town: string;
  readonly region?: string;
  /** ISO 3166-1, two letters. */
  readonly country: string;
};

/** An account by its IBAN, or by the number that its bank knows it by (up to 34 characters). */
export type Account =
  | { readonly kind: "iban"; readonly iban: string }
  | { readonly kind: "number"; readonly number: string };

/**
 * A bank by its BIC, its number in a national clearing, or both. `system` is of ISO 20022's list of
 * clearing systems: `USABA` (ABA number), `INFSC` (IFSC), `GBDSC` (sort code).
 */
export type Agent = {
  readonly bic?: string;
  readonly clearing?: { readonly system: string; readonly member: string };
};

/** Who bears charges: the debtor, the creditor, each their own, or as the scheme says (SEPA). */
export type ChargeBearer = "DEBT" | "CRED" | "SHAR" | "SLEV";

/** The account that payments are debited to, and its bank. */
export type DebtorAccount = { readonly account: Account; readonly agent: Agent };

/** A payment to be written. Never logged: it has names and account numbers. */
export type Payment = {
  readonly payoutId: string;
  /** A UUID of version 4, stored before it is written; `.03` has no place for it. */
  readonly uetr?: string;
  readonly amount: Money;
  readonly debtor: DebtorAccount;
  /** The day on which the bank is to debit, `yyyy-mm-dd`: see `calendar/`. */
  readonly requestedOn: string;
  readonly chargeBearer: ChargeBearer;
  readonly creditor: {
    readonly name: string;
    readonly address?: PostalAddress;
    readonly account: Account;
    /** Optional where the IBAN tells it (SEPA). */
    readonly agent?: Agent;
  };
  /** What the payment is for, in words: up to 140 characters. */
  readonly remittance?: string;
  /** ISO 20022's list of purposes: up to four capital letters or digits (`SUPP`, `SALA`). */
  readonly purpose?: string;
};

/** How one bank takes its files: set once for a rail, by the bank's own handbook. */
export type InitiationProfile = {
  readonly version: InitiationVersion;
  readonly characters: Characters;
  /** Who sends the file, by the identification that the bank gave out. */
  readonly initiatingParty: { readonly name: string; readonly id?: string };
  readonly debtor: { readonly name: string; readonly address?: PostalAddress };
  /** Whether the bank books a group in one sum; its answers then name the group alone. */
  readonly batchBooking: boolean;
  /** `SEPA`, `URGP`, `NURG`; without one the bank's default. */
  readonly serviceLevel?: string;
  readonly localInstrument?: string;
  readonly categoryPurpose?: string;
  /** Characters of a creditor's name: 140 by ISO 20022, 70 by SEPA. */
  readonly nameMax: number;
  /** Whether a payment without the addresses of both parties is refused (SWIFT). */
  readonly addressRequired: boolean;
  /** Payments of one file, by the bank's handbook. */
  readonly paymentsMax: number;
};

/** One file to be written. `messageId` belongs to it for ever: a reference of up to 28. */
export type Initiation = {
  readonly messageId: string;
  readonly createdAt: Date;
  readonly payments: readonly Payment[];
};

/** What cannot be written, and why, in words for operators; without personal data. */
export type Fault = {
  readonly payoutId?: string;
  readonly field: string;
  readonly problem: string;
};

/** Nothing was written: every fault is named, so that the caller can leave those payments out. */
export type Unwritable = Refused<"UNWRITABLE"> & { readonly faults: readonly Fault[] };
