import type { Decimal } from "@disburse/kernel/decimal.ts";
import type { Metadata } from "@disburse/kernel/metadata.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused, type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import type { Corridor, ReturnCharges } from "../../corridors/rules/corridor.ts";
import { type Amounts, quoteFixedSource, quoteFixedTarget, type Terms } from "./arithmetic.ts";

/** The beneficiary as it was when the quote was made: a payout is made from the quote alone. */
export type QuotedBeneficiary = {
  readonly id: string;
  readonly name: string;
  /** In Latin letters, where its merchant gave it so. */
  readonly nameLatin?: string;
  readonly accountNumberMasked: string;
  readonly transferMethod: string;
  readonly network: string;
  /** Keyed hashes of the account or wallet that is paid. */
  readonly destinationKeys: readonly string[];
};

/** The payout that claimed a quote. */
export type Claim = {
  readonly payoutId: string;
  /** What the payout is made of: the payout service's own, and not read here. */
  readonly order: Uint8Array;
  readonly operationId: string;
  readonly claimedAt: Date;
};

/** A quote is open until it is claimed or has expired. */
export type QuoteState =
  | { readonly state: "open" }
  | { readonly state: "claimed"; readonly claim: Claim }
  | { readonly state: "expired" };

/** A price for one payout, firm until it expires. */
export type Quote = QuoteState & {
  readonly id: string;
  readonly merchantId: string;
  readonly accountId: string;
  readonly corridorId: string;
  readonly source: string;
  readonly destination: string;
  readonly amounts: Amounts;
  readonly rate: Decimal;
  readonly rateAsOf: Date;
  readonly rateSource: string;
  /** The corridor's word at this time. */
  readonly returnCharges: ReturnCharges;
  readonly beneficiary: QuotedBeneficiary;
  /** The merchant's own data. */
  readonly metadata: Metadata;
  /** The amount that was asked for. */
  readonly fixed: "source" | "receiving";
  /** The payout that it pays again; "" for none. */
  readonly reissueOf: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
};

/** What a merchant asks a quote for, its fields checked. */
export type QuoteRequest = {
  readonly merchantId: string;
  readonly accountId: string;
  readonly beneficiaryId: string;
  readonly sourceCurrencyCode: string;
  readonly destinationCurrencyCode: string;
  /** "" where it was not sent. */
  readonly sourceAmount: string;
  readonly receivingAmount: string;
  readonly metadata: Metadata;
  readonly reissueOf: string;
};

/** What other services know of account and beneficiary; `undefined`: no such record. */
export type Parties = {
  readonly account: { readonly merchantId: string; readonly currency: string } | undefined;
  readonly beneficiary:
    | {
        readonly currency: string;
        /** Its screening; only `cleared` is paid, and without one known none is. */
        readonly screening: "pending" | "cleared" | "review" | "blocked" | undefined;
        readonly archived: boolean;
        /** Whether its payment method can carry its fields. */
        readonly isPayable: boolean;
        readonly quoted: QuotedBeneficiary;
      }
    | undefined;
};

type PartiesRefusal =
  | "RECORD_NOT_FOUND"
  | "ACCESS_FORBIDDEN"
  | "BENEFICIARY_NOT_READY"
  | "INVALID_REQUEST";

/** The first checks at RFQ, in their order: account, beneficiary, currencies, payment method. */
export function checkParties(
  request: QuoteRequest,
  { account, beneficiary }: Parties,
): QuotedBeneficiary | Refused<PartiesRefusal> {
  if (account === undefined) return refused("RECORD_NOT_FOUND");
  if (account.merchantId !== request.merchantId) {
    return refusedBecause("ACCESS_FORBIDDEN", "other_merchant");
  }
  if (beneficiary === undefined || beneficiary.archived) return refused("RECORD_NOT_FOUND");
  if (beneficiary.screening === "pending") return refused("BENEFICIARY_NOT_READY");
  if (beneficiary.screening !== "cleared") {
    return refusedBecause("ACCESS_FORBIDDEN", "beneficiary_not_cleared");
  }
  const mismatches = [
    account.currency === request.sourceCurrencyCode
      ? []
      : `source_currency_code: must be the account's currency, ${account.currency}`,
    beneficiary.currency === request.destinationCurrencyCode
      ? []
      : `destination_currency_code: must be the beneficiary's currency, ${beneficiary.currency}`,
    beneficiary.isPayable
      ? []
      : "beneficiary_id: cannot be paid by its payment method, see its `unpayable_reason`",
  ].flat();
  if (mismatches.length > 0) return refused("INVALID_REQUEST", mismatches.join("; "));
  return beneficiary.quoted;
}

/** The second half: corridor, its state, whether it is open to the merchant. */
export function checkCorridor(
  corridor: Corridor | undefined,
  openToMerchant: boolean,
): Corridor | Refused<"RECORD_NOT_FOUND" | "CORRIDOR_NOT_ACTIVE"> {
  if (corridor === undefined) return refused("RECORD_NOT_FOUND");
  if (!corridor.active) return refused("CORRIDOR_NOT_ACTIVE");
  return openToMerchant ? corridor : refused("RECORD_NOT_FOUND");
}

/** The amount that a quote is asked for by. */
export function fixedAmount({ sourceAmount }: Pick<QuoteRequest, "sourceAmount">) {
  return sourceAmount === "" ? "receiving" : "source";
}

/** The amounts of a quote; a receiving amount beside a source amount is ignored. */
export function quoteAmounts(
  request: QuoteRequest,
  terms: Terms,
): Amounts | Refused<"INVALID_REQUEST"> {
  const fixed = fixedAmount(request);
  const text = request.sourceAmount || request.receivingAmount;
  const currency =
    fixed === "source" ? request.sourceCurrencyCode : request.destinationCurrencyCode;
  const minor = parseAmount(text, currency);
  if (isRefused(minor)) return refused("INVALID_REQUEST", `${fixed}_amount: ${minor.detail}`);
  return fixed === "source" ? quoteFixedSource(terms, minor) : quoteFixedTarget(terms, minor);
}

type ClaimRefusal = "RECORD_NOT_FOUND" | "ALREADY_PROCESSED" | "QUOTE_EXPIRED";

/**
 * What an attempt to claim came to, read from the quote as it is after the attempt. The claim of a
 * payout stands as it was made first.
 */
export function claimOutcome(
  quote: Quote | undefined,
  payoutId: string,
): (Quote & { state: "claimed" }) | Refused<ClaimRefusal> {
  if (quote === undefined) return refused("RECORD_NOT_FOUND");
  switch (quote.state) {
    case "claimed":
      return quote.claim.payoutId === payoutId ? quote : refused("ALREADY_PROCESSED");
    case "expired":
      return refused("QUOTE_EXPIRED");
    case "open":
      throw new Error("a claim attempt leaves no quote open");
  }
}
