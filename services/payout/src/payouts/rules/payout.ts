import { derivedId } from "@disburse/kernel/id.ts";
import { type Metadata, storedMetadata } from "@disburse/kernel/metadata.ts";
import { type Held, holdIdOf, type ReturnChargesBearer } from "@disburse/ledger/rules/account.ts";
import type { PaymentTexts } from "@disburse/rail/rail.ts";
import type { Approval, ApprovalNeed, Who } from "./approval.ts";
import type { Uncleared } from "./clearance.ts";
import type { PayoutException } from "./exception.ts";
import type { Progress } from "./progress.ts";

/** The merchant's texts. A text that was not given is "". */
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

/** Returns a canonical text of the details, for digests. Equal details give equal texts. */
export function detailsText({ metadata = {}, ...texts }: PayoutDetails): string {
  return JSON.stringify([Object.entries(texts).toSorted(), storedMetadata(metadata)]);
}

/**
 * A merchant's order to pay a quote. It is stored under the payout's id before money moves. The
 * quote's claim contains a copy, from which the payout is created.
 */
export type PayoutOrder = {
  readonly merchantId: string;
  readonly quoteId: string;
  readonly operationId: string;
  /** A digest of the request. It shows whether a repeated operation id has the same request. */
  readonly content: string;
  /** The actor that executes the quote. Only an API key has a name here. */
  readonly actor: Who & { readonly name?: string };
  readonly details: PayoutDetails;
  /** True to skip the duplicate guard. */
  readonly allowDuplicate: boolean;
  /**
   * The scheduled payout or the batch that the order comes from; at most one is set. Both are
   * absent if the merchant executed the quote directly.
   */
  readonly scheduledPayoutId?: string;
  readonly batchId?: string;
  /** Set if the payout has waited for its merchant's balance. */
  readonly waited?: Waited;
  /** The approval that the merchant's rules require; absent if they require none. */
  readonly approval?: ApprovalNeed;
};

/**
 * A later attempt of a payout that waited for balance. The payout has the id that it was announced
 * with, not one of this attempt's quote (docs/decisions/0079).
 */
export type Waited = {
  readonly payoutId: string;
  /** The number of the quote, from 2. The first quote had too little money. */
  readonly attempt: number;
  /** The time at which the payout began to wait. */
  readonly since: Date;
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
  /** True if the merchant requested the receiving amount, false if the source amount. */
  readonly isReceivingFixed: boolean;
  /** Decimal text: the number of destination units for one source unit. */
  readonly exchangeRate: string;
  /**
   * The party that bears the bank charges of a return. It is the corridor's setting when the quote
   * was created.
   */
  readonly returnCharges: ReturnChargesBearer;
  /** The payout that the quote reissues. Only a reissue of this payout may execute the quote. */
  readonly reissueOf: string | undefined;
  /** Keyed hashes of the paid account or wallet. The hash with the current key comes first. */
  readonly destinationKeys: readonly string[];
  /**
   * Keyed hashes of destination and reference. Payouts that share one of them may be duplicates.
   */
  readonly duplicateKeys: readonly string[];
  readonly beneficiary: {
    readonly id: string;
    readonly name: string;
    /** The name in Latin letters, as sent to the bank. Absent if the merchant gave none. */
    readonly nameLatin?: string;
    readonly accountNumberMasked: string;
    readonly transferMethod: string;
    readonly network: string;
  };
  readonly claimedAt: Date;
};

/**
 * The quote that is bound to a payout for its reissue. No other quote may reissue the payout until
 * this one has expired permanently.
 */
export type Reissue = {
  readonly quoteId: string;
  /** The number of this quote among the payout's bound quotes, from 1. */
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
  /** Starts at 1 and increases by one with each change of status. */
  readonly version: number;
  /** Increases with each write. A write that is based on an older revision has no effect. */
  readonly revision: number;
  /**
   * The rail that the payout is submitted to. "" until one is chosen; afterwards it never changes.
   */
  readonly rail: string;
  /**
   * True if the rail's account funds the payout. The payout's hold and its end are then booked in
   * that account too.
   */
  readonly isFunded: boolean;
  /** The time of the first submission. */
  readonly submittedAt: Date | undefined;
  /** The time by which the rail usually has paid the payout, if the rail gives one. */
  readonly expectedAt: Date | undefined;
  readonly exception: PayoutException | undefined;
  /** Set while the payout waits for its beneficiary's clearance. */
  readonly uncleared: Uncleared | undefined;
  /** `undefined` if the merchant's rules required none. */
  readonly approval: Approval | undefined;
  /** `undefined` if no reissue was requested. */
  readonly reissue: Reissue | undefined;
  /** The payout that reissues this one. Set once the reissue's quote is claimed. */
  readonly reissuedAs: string | undefined;
  /** The time at which the payout began, also if it then waited for its merchant's balance. */
  readonly createdAt: Date;
  /** The time at which the balance was there. `undefined` if the payout never waited for it. */
  readonly fundedAt: Date | undefined;
  readonly updatedAt: Date;
};

type Opening = Pick<Payout, "createdAt" | "fundedAt" | "approval">;

/**
 * Returns the time from which the payout is open for its rail: its creation, the time at which its
 * balance was there, or its approval.
 */
export function openSince({ createdAt, fundedAt = createdAt, approval }: Opening): Date {
  const decidedAt = approval?.decision?.at;
  return decidedAt !== undefined && decidedAt > fundedAt ? decidedAt : fundedAt;
}

/**
 * Returns the time that the platform added to the rail's: from the opening to the submission, and
 * from the decided outcome to its end at `endedAt`. Returns `undefined` if no rail had the payout.
 * A polled rail may have paid before the poll that reported it. That wait counts as the rail's.
 */
export function settlementOverheadMs(
  decided: Opening & Pick<Payout, "submittedAt" | "updatedAt">,
  endedAt: Date,
): number | undefined {
  const { submittedAt, updatedAt: decidedAt } = decided;
  if (submittedAt === undefined) return undefined;
  const beforeMs = submittedAt.getTime() - openSince(decided).getTime();
  return Math.max(0, beforeMs) + Math.max(0, endedAt.getTime() - decidedAt.getTime());
}

/**
 * Derives the payout's id from the quote's, because a quote has at most one payout. A payout that
 * waited for balance keeps the id of its first quote.
 */
export function payoutIdOf({ quoteId, waited }: Pick<PayoutOrder, "quoteId" | "waited">): string {
  return waited?.payoutId ?? derivedId("payout", quoteId);
}

/** Returns the hold of an order's money. */
export function heldFor(order: Pick<PayoutOrder, "quoteId" | "waited">): Held {
  const { waited } = order;
  const payoutId = payoutIdOf(order);
  return waited === undefined ? { payoutId } : { payoutId, attempt: waited.attempt };
}

/** Returns the id under which an order's money is held and its limits are reserved. */
export function holdOf(order: Pick<PayoutOrder, "quoteId" | "waited">): string {
  return holdIdOf(heldFor(order));
}

/** Returns the amount that the merchant requested, and its side. */
export function fixedOf({ isReceivingFixed, receivingMinor, sourceMinor }: ClaimedQuote) {
  return isReceivingFixed
    ? ({ fixed: "receiving", amount: receivingMinor } as const)
    : ({ fixed: "source", amount: sourceMinor } as const);
}

/** Creates a payout from a claim. The same claim always gives the same payout. */
export function payoutFrom(quote: ClaimedQuote, order: PayoutOrder): Payout {
  const { claimedAt } = quote;
  const { waited } = order;
  return {
    id: payoutIdOf(order),
    quote,
    order,
    progress: { stage: "queued" },
    // The first version was that of the waiting payout.
    version: waited === undefined ? 1 : 2,
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
    createdAt: waited?.since ?? claimedAt,
    fundedAt: waited && claimedAt,
    updatedAt: claimedAt,
  };
}
