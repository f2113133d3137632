import { derivedId } from "@disburse/kernel/id.ts";
import type { ReturnChargesBearer } from "../../ledger/rules/account.ts";
import type { Uncleared } from "./clearance.ts";
import type { PayoutException } from "./exception.ts";
import type { Progress } from "./progress.ts";

/** What the merchant sends along with a payout, each "" for nothing. */
export type SentTexts = {
  /** The merchant's own. */
  readonly referenceId: string;
  /** For the beneficiary; may name persons. */
  readonly remittanceInformation: string;
  /** Of ISO 20022's external purpose codes. */
  readonly purposeCode: string;
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
  readonly beneficiary: {
    readonly id: string;
    readonly name: string;
    readonly accountNumberMasked: string;
    readonly transferMethod: string;
    readonly network: string;
  };
  readonly claim: SentTexts & {
    readonly operationId: string;
    readonly claimedAt: Date;
  };
};

/** A payout, as rules see it. */
export type Payout = {
  readonly id: string;
  readonly quote: ClaimedQuote;
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
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The id of the payout of a quote: a quote has at most one. */
export function payoutIdOf(quoteId: string): string {
  return derivedId("payout", quoteId);
}

/** A new payout; the same claim always makes the same. */
export function payoutFrom(quote: ClaimedQuote): Payout {
  const { claimedAt } = quote.claim;
  return {
    id: payoutIdOf(quote.id),
    quote,
    progress: { stage: "queued" },
    version: 1,
    revision: 1,
    rail: "",
    isFunded: false,
    submittedAt: undefined,
    expectedAt: undefined,
    exception: undefined,
    uncleared: undefined,
    createdAt: claimedAt,
    updatedAt: claimedAt,
  };
}
