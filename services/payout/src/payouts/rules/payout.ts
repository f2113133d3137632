import { derivedId } from "@disburse/kernel/id.ts";
import type { Metadata } from "@disburse/kernel/metadata.ts";
import type { ReturnChargesBearer } from "../../ledger/rules/account.ts";
import type { Approval, Who } from "./approval.ts";
import type { Uncleared } from "./clearance.ts";
import type { PayoutException } from "./exception.ts";
import type { Progress } from "./progress.ts";

/** What the merchant sends along with a payout, each text "" for nothing. */
export type SentTexts = {
  /** The merchant's own. */
  readonly referenceId: string;
  /** For the beneficiary; may name persons. */
  readonly remittanceInformation: string;
  /** Of ISO 20022's external purpose codes. */
  readonly purposeCode: string;
  /** The merchant's own data. */
  readonly metadata: Metadata;
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
  readonly claim: SentTexts & {
    readonly operationId: string;
    readonly claimedAt: Date;
  };
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
/** What a payout was made of, where it was not executed by itself: one of the two. */
export type OrderedAs = { readonly scheduledPayoutId?: string; readonly batchId?: string };

/** A payout, as rules see it. */
export type Payout = {
  readonly id: string;
  readonly quote: ClaimedQuote;
  readonly ordered: OrderedAs;
  /** Who executed it. */
  readonly actor: Who;
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
export function payoutFrom(quote: ClaimedQuote, actor: Who, ordered: OrderedAs = {}): Payout {
  const { claimedAt } = quote.claim;
  return {
    id: payoutIdOf(quote.id),
    quote,
    ordered,
    actor,
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
