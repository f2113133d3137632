import type { Decimal } from "@disburse/kernel/decimal.ts";
import type { Metadata } from "@disburse/kernel/metadata.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import {
  isRefused,
  type Refused,
  refused,
  refusedBecause,
  unknownRecord,
} from "@disburse/kernel/refusal.ts";
import type { Corridor, Limits, ReturnCharges } from "../../corridors/rules/corridor.ts";
import { type Amounts, quoteFixedSource, quoteFixedTarget, type Terms } from "./arithmetic.ts";

/** A copy of the beneficiary at creation. The payout uses this copy alone. */
export type QuotedBeneficiary = {
  readonly id: string;
  readonly name: string;
  /** The name in Latin letters, if the merchant gave one. */
  readonly nameLatin?: string;
  readonly accountNumberMasked: string;
  readonly transferMethod: string;
  readonly network: string;
  /** Keyed hashes of the payee's account or wallet. */
  readonly destinationKeys: readonly string[];
};

export type Claim = {
  readonly payoutId: string;
  /** The payout's request, opaque to the quote service. */
  readonly order: Uint8Array;
  readonly operationId: string;
  readonly claimedAt: Date;
};

/** A quote is open until it is claimed or expires. Both are final. */
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
  /** A copy of the corridor's value at creation. */
  readonly returnCharges: ReturnCharges;
  readonly beneficiary: QuotedBeneficiary;
  readonly metadata: Metadata;
  /** The amount that the request gave. */
  readonly fixed: "source" | "receiving";
  /** The id of the returned payout that this quote pays again; "" for none. */
  readonly reissueOf: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
};

/** A quote request with validated fields. */
export type QuoteRequest = {
  readonly merchantId: string;
  readonly accountId: string;
  readonly beneficiaryId: string;
  readonly sourceCurrencyCode: string;
  readonly destinationCurrencyCode: string;
  /** Empty text if the request gave no such amount. */
  readonly sourceAmount: string;
  readonly receivingAmount: string;
  readonly metadata: Metadata;
  readonly reissueOf: string;
};

/** Data from other services. `undefined` means that the record does not exist. */
export type Parties = {
  readonly account:
    | {
        readonly merchantId: string;
        readonly currency: string;
        readonly isClosed?: boolean | undefined;
      }
    | undefined;
  readonly beneficiary:
    | {
        readonly currency: string;
        /** Only `cleared` beneficiaries are paid; `undefined` means unknown. */
        readonly screening: "pending" | "cleared" | "review" | "blocked" | undefined;
        readonly archived: boolean;
        /** False if the payment method can't carry the beneficiary's fields. */
        readonly isPayable: boolean;
        readonly quoted: QuotedBeneficiary;
      }
    | undefined;
};

type PartiesRefusal =
  | "RECORD_NOT_FOUND"
  | "ACCESS_FORBIDDEN"
  | "SOURCE_ACCOUNT_CLOSED"
  | "BENEFICIARY_NOT_READY"
  | "INVALID_REQUEST";

/** Checks, in this order: account, beneficiary, currencies, payment method. */
export function checkParties(
  request: QuoteRequest,
  parties: Parties,
): QuotedBeneficiary | Refused<PartiesRefusal> {
  const [first] = partyRefusals(request, parties);
  if (first !== undefined) return first;
  if (parties.beneficiary === undefined) throw new Error("an unknown beneficiary was accepted");
  return parties.beneficiary.quoted;
}

type CheckedRequest = Pick<
  QuoteRequest,
  "merchantId" | "sourceCurrencyCode" | "destinationCurrencyCode"
>;

/** Returns every refusal that the parties cause, in the order of the checks. */
export function partyRefusals(
  request: CheckedRequest,
  { account, beneficiary }: CheckedParties,
): Refused<PartiesRefusal>[] {
  const isOther = account !== undefined && account.merchantId !== request.merchantId;
  const ofAccount: Refused<PartiesRefusal>[] = [
    ...(account === undefined ? [unknownRecord("account_id")] : []),
    ...(isOther ? [refusedBecause("ACCESS_FORBIDDEN", "other_merchant")] : []),
    ...(account?.isClosed && !isOther ? [refused("SOURCE_ACCOUNT_CLOSED")] : []),
  ];
  const own = isOther ? undefined : account?.currency;
  const { sourceCurrencyCode: source, destinationCurrencyCode: destination } = request;
  const mismatches = [
    own === undefined || own === source
      ? []
      : `source_currency_code: must be the account's currency, ${own}`,
    beneficiary === undefined || beneficiary.archived || beneficiary.currency === destination
      ? []
      : `destination_currency_code: must be the beneficiary's currency, ${beneficiary.currency}`,
    beneficiary?.isPayable !== false
      ? []
      : "beneficiary_id: cannot be paid by its payment method: see the beneficiary's `unpayable_reason`",
  ].flat();
  return [
    ...ofAccount,
    ...beneficiaryRefusals(beneficiary),
    ...(mismatches.length > 0 ? [refused("INVALID_REQUEST", mismatches.join("; "))] : []),
  ];
}

/** The data of the parties that the checks need. */
export type CheckedParties = {
  readonly account: Parties["account"];
  readonly beneficiary: Omit<NonNullable<Parties["beneficiary"]>, "quoted"> | undefined;
};

function beneficiaryRefusals(
  beneficiary: CheckedParties["beneficiary"],
): Refused<Exclude<PartiesRefusal, "INVALID_REQUEST">>[] {
  if (beneficiary === undefined) return [unknownRecord("beneficiary_id")];
  if (beneficiary.archived) {
    return [unknownRecord("beneficiary_id", "is not known: it is archived")];
  }
  if (beneficiary.screening === "pending") return [refused("BENEFICIARY_NOT_READY")];
  if (beneficiary.screening === "cleared") return [];
  return [refusedBecause("ACCESS_FORBIDDEN", "beneficiary_not_cleared")];
}

const noCorridor = unknownRecord(
  "destination_currency_code",
  "is not known as a destination of the source currency",
);

/**
 * Runs after `checkParties`. Checks that the corridor exists, is active, and is open to the
 * merchant.
 */
export function checkCorridor(
  corridor: Corridor | undefined,
  openToMerchant: boolean,
): Corridor | Refused<"RECORD_NOT_FOUND" | "CORRIDOR_NOT_ACTIVE"> {
  if (corridor === undefined) return noCorridor;
  if (!corridor.active) return refused("CORRIDOR_NOT_ACTIVE");
  return openToMerchant ? corridor : noCorridor;
}

export function fixedAmount({ sourceAmount }: Pick<QuoteRequest, "sourceAmount">) {
  return sourceAmount === "" ? "receiving" : "source";
}

/** Quotes may exceed the limits. Execution refuses them. */
export function isWithinLimits({ source, receiving }: Amounts, limits: Limits): boolean {
  const isWithin = (minor: bigint, min: bigint | undefined, max: bigint | undefined) =>
    (min === undefined || minor >= min) && (max === undefined || minor <= max);
  return (
    isWithin(source, limits.sourceMin, limits.sourceMax) &&
    isWithin(receiving, limits.receivingMin, limits.receivingMax)
  );
}

/** A source amount takes precedence over a receiving amount. */
export function quoteAmounts(
  request: Omit<QuoteRequest, "merchantId" | "metadata" | "reissueOf">,
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
 * Derives the outcome of a claim from the quote as stored after the attempt. A repeat by the same
 * payout returns its first claim.
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
      throw new Error("the quote is still open after an attempt to claim it");
  }
}
