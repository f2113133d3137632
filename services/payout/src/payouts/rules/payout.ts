import { derivedId } from "@disburse/kernel/id.ts";
import { type Metadata, storedMetadata } from "@disburse/kernel/metadata.ts";
import type { PaymentTexts } from "@disburse/rail/rail.ts";
import type { ReturnChargesBearer } from "../../ledger/rules/account.ts";
import type { Approval, ApprovalNeed, Who } from "./approval.ts";
import type { Uncleared } from "./clearance.ts";
import type { PayoutException } from "./exception.ts";
import type { Progress } from "./progress.ts";

/** The merchant's texts, each "" if not given. */
export type PayoutDetails = PaymentTexts & {
  /** The merchant's own data; absent if empty. */
  readonly metadata?: Metadata;
};

export function detailsOf(sent: PayoutDetails): PayoutDetails {
  const { metadata = {} } = sent;
  const details = paymentTexts(sent);
  return Object.keys(metadata).length === 0 ? details : { ...details, metadata };
}

/** The details that a rail gets. */
export function paymentTexts(details: PayoutDetails): PaymentTexts {
  const { referenceId, remittanceInformation, purposeCode } = details;
  return { referenceId, remittanceInformation, purposeCode };
}

/** Returns a canonical text for digests: equal details give equal texts. */
export function detailsText({ metadata = {}, ...texts }: PayoutDetails): string {
  return JSON.stringify([Object.entries(texts).toSorted(), storedMetadata(metadata)]);
}

/**
 * A merchant's order to pay a quote. It is stored under the payout's id before money moves. The
 * claim of the quote contains it, and the payout gets it from there.
 */
export type PayoutOrder = {
  readonly merchantId: string;
  readonly quoteId: string;
  readonly operationId: string;
  /** Identifies the request's content when the operation id is used again. */
  readonly content: string;
  /** The actor that executes the quote. */
  readonly actor: Who;
  readonly details: PayoutDetails;
  /** True to skip the duplicate guard. */
  readonly allowDuplicate: boolean;
  /** The source of the order, unless the quote is executed directly: one of the two. */
  readonly scheduledPayoutId?: string;
  readonly batchId?: string;
  /** The approval that the merchant's rules require. */
  readonly approval?: ApprovalNeed;
};

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
  /** Decimal text: destination units for one source unit. */
  readonly exchangeRate: string;
  /** The party that bears bank charges of a return, as set for the corridor at quote time. */
  readonly returnCharges: ReturnChargesBearer;
  /** The payout to reissue. Only its reissue may execute the quote. */
  readonly reissueOf: string | undefined;
  /** Keyed hashes of the paid account or wallet. The current key's hash is first. */
  readonly destinationKeys: readonly string[];
  /** Keyed hashes of destination and reference. A duplicate payout shares one of them. */
  readonly duplicateKeys: readonly string[];
  readonly beneficiary: {
    readonly id: string;
    readonly name: string;
    /** In Latin letters, as sent to the bank. Absent if the merchant gave none. */
    readonly nameLatin?: string;
    readonly accountNumberMasked: string;
    readonly transferMethod: string;
    readonly network: string;
  };
  readonly claimedAt: Date;
};

/** The only quote that may reissue a payout, until it is expired for good. */
export type Reissue = {
  readonly quoteId: string;
  /** Counts the bound quotes, from 1. */
  readonly attempt: number;
  /** The operation that executes the quote. */
  readonly operationId: string;
  readonly boundAt: Date;
};

export type Payout = {
  readonly id: string;
  readonly quote: ClaimedQuote;
  readonly order: PayoutOrder;
  readonly progress: Progress;
  /** Increases with each change of status, from 1, without gaps. */
  readonly version: number;
  /** Increases with each write. A writer with an older revision changes nothing. */
  readonly revision: number;
  /** The rail of its submission; never changes. "" until one is named. */
  readonly rail: string;
  /** The rail's account funds it, so its hold and its end are booked there. */
  readonly isFunded: boolean;
  /** The time of the first submission. */
  readonly submittedAt: Date | undefined;
  /** The time by which its rail usually has paid it, if the rail gives one. */
  readonly expectedAt: Date | undefined;
  readonly exception: PayoutException | undefined;
  /** Set while the payout waits for its beneficiary's clearance. */
  readonly uncleared: Uncleared | undefined;
  /** `undefined` if the merchant's rules required none. */
  readonly approval: Approval | undefined;
  /** `undefined` if no reissue was requested. */
  readonly reissue: Reissue | undefined;
  /** The payout that reissues this one, from the claim of its quote on. */
  readonly reissuedAs: string | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** Returns the time from which the rail may have the payout: its creation or its approval. */
export function openSince({ createdAt, approval }: Pick<Payout, "createdAt" | "approval">): Date {
  const decidedAt = approval?.decision?.at;
  return decidedAt !== undefined && decidedAt > createdAt ? decidedAt : createdAt;
}

/** A quote has at most one payout. */
export function payoutIdOf(quoteId: string): string {
  return derivedId("payout", quoteId);
}

/** Deterministic: the same claim gives the same payout. */
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
