import { derivedId } from "@disburse/kernel/id.ts";
import { type Metadata, storedMetadata } from "@disburse/kernel/metadata.ts";
import type { PaymentTexts } from "@disburse/rail/rail.ts";
import type { ReturnChargesBearer } from "../../ledger/rules/account.ts";
import type { Approval, ApprovalNeed, Who } from "./approval.ts";
import type { Uncleared } from "./clearance.ts";
import type { PayoutException } from "./exception.ts";
import type { Progress } from "./progress.ts";

/** What a merchant says about a payout, each text "" for nothing. */
export type PayoutDetails = PaymentTexts & {
  /** The merchant's own data; absent where there is none. */
  readonly metadata?: Metadata;
};

/** The details among the fields of a request. */
export function detailsOf(sent: PayoutDetails): PayoutDetails {
  const { referenceId, remittanceInformation, purposeCode, metadata = {} } = sent;
  const details = { referenceId, remittanceInformation, purposeCode };
  return Object.keys(metadata).length === 0 ? details : { ...details, metadata };
}

/** Details as a text that digests are made of: one for the same details. */
export function detailsText({ metadata = {}, ...texts }: PayoutDetails): string {
  return JSON.stringify([Object.entries(texts).toSorted(), storedMetadata(metadata)]);
}

/**
 * What a merchant orders: the payout of a quote. It is stored under the payout's id before money
 * moves, goes into the claim of the quote, and from there into the payout.
 */
export type PayoutOrder = {
  readonly merchantId: string;
  readonly quoteId: string;
  readonly operationId: string;
  /** What its request is recognised by when the operation id comes again. */
  readonly content: string;
  /** Who executes the quote. */
  readonly actor: Who;
  readonly details: PayoutDetails;
  /** Whether the guard against duplicates is passed. */
  readonly allowDuplicate: boolean;
  /** What it is made of, where it is not executed by itself: one of the two. */
  readonly scheduledPayoutId?: string;
  readonly batchId?: string;
  /** The approval that its payout needs by its merchant's rules. */
  readonly approval?: ApprovalNeed;
};

/** What a payout is made from: a claimed quote. */
export type ClaimedQuote = {
  readonly id: string;
  readonly merchantId: string;
  readonly accountId: string;
  readonly corridorId: string;
  readonly source: string;
  readonly destination: string;
  readonly sourceMinor: bigint;
  readonly feesMinor: bigint;
  readonly receivingMinor: bigint;
  /** Decimal text. */
  readonly exchangeRate: string;
  /** Who bears what banks keep of a return: the corridor's word when the quote was made. */
  readonly returnCharges: ReturnChargesBearer;
  /** The payout that it pays again, which alone executes it. */
  readonly reissueOf: string | undefined;
  /** Keyed hashes of the account or wallet that is paid, the current key's first. */
  readonly destinationKeys: readonly string[];
  /** Of its destination and reference; a payout that repeats it has one of them. */
  readonly duplicateKeys: readonly string[];
  readonly beneficiary: {
    readonly id: string;
    readonly name: string;
    /** In Latin letters, as the bank gets it, where its merchant gave it so. */
    readonly nameLatin?: string;
    readonly accountNumberMasked: string;
    readonly transferMethod: string;
    readonly network: string;
  };
  /** When the quote was claimed. */
  readonly claimedAt: Date;
};

/** The one quote that a payout may be paid again by, until that is expired for ever. */
export type Reissue = {
  readonly quoteId: string;
  /** One more with each quote that was bound, from 1. */
  readonly attempt: number;
  /** What executes the quote. */
  readonly operationId: string;
  readonly boundAt: Date;
};

/** A payout, as rules see it. */
export type Payout = {
  readonly id: string;
  readonly quote: ClaimedQuote;
  readonly order: PayoutOrder;
  readonly progress: Progress;
  /** One more with each change of status, from 1, without gap. */
  readonly version: number;
  /** One more with each write: a writer that read an older one changes nothing. */
  readonly revision: number;
  /** The rail that it is or will be submitted to, which never changes; "" until one is named. */
  readonly rail: string;
  /** Whether it is paid from its rail's account: its hold, and what ends it, are booked there. */
  readonly isFunded: boolean;
  /** When it was first submitted; `undefined` until then. */
  readonly submittedAt: Date | undefined;
  /** When its rail will have paid it, as a rule; `undefined` where it did not say. */
  readonly expectedAt: Date | undefined;
  readonly exception: PayoutException | undefined;
  /** Set while it waits for the clearance of its beneficiary. */
  readonly uncleared: Uncleared | undefined;
  /** `undefined` where its merchant's rules asked for none. */
  readonly approval: Approval | undefined;
  /** `undefined` where no one asked to pay it again. */
  readonly reissue: Reissue | undefined;
  /** The payout that pays it again, from the claim of its quote on. */
  readonly reissuedAs: string | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** Since when a payout that was approved, or needed no approval, is open for its rail. */
export function openSince({ createdAt, approval }: Pick<Payout, "createdAt" | "approval">): Date {
  const decidedAt = approval?.decision?.at;
  return decidedAt !== undefined && decidedAt > createdAt ? decidedAt : createdAt;
}

/** The id of the payout of a quote: a quote has at most one. */
export function payoutIdOf(quoteId: string): string {
  return derivedId("payout", quoteId);
}

/** A new payout; the same claim always makes the same. */
export function payoutFrom(quote: ClaimedQuote, order: PayoutOrder): Payout {
  const { claimedAt } = quote;
  return {
    id: payoutIdOf(quote.id),
    quote,
    order,
    progress: { stage: "queued" },
    version: 1,
    revision: 1,
    rail: "",
    isFunded: false,
    submittedAt: undefined,
    expectedAt: undefined,
    exception: undefined,
    uncleared: undefined,
    approval: undefined,
    reissue: undefined,
    reissuedAs: undefined,
    createdAt: claimedAt,
    updatedAt: claimedAt,
  };
}
