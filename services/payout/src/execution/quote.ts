import { timestampDate } from "@bufbuild/protobuf/wkt";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import {
  type Claim,
  type ClaimQuoteResponse,
  type GetClaimableQuoteResponse,
  type Quote,
  type QuotedBeneficiary,
  QuoteState,
  ReturnCharges,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { readAmount } from "@disburse/kernel/money.ts";
import { BSON } from "mongodb";
import { duplicateKeys } from "../controls/rules/duplicate-keys.ts";
import type { ClaimedQuote, PayoutDetails, PayoutOrder } from "../payouts/rules/payout.ts";
import type { ExecutableQuote } from "./rules/payable.ts";

/** Reads the quote service's response. Throws if the response violates the contract. */
export function readExecutable(response: GetClaimableQuoteResponse) {
  const { quote, limits, now } = response;
  const state = quote && enumName(QuoteState, quote.state);
  const { beneficiary } = quote ?? {};
  const isIncomplete = beneficiary?.destinationKeys.length === 0;
  if (quote?.expiredAt === undefined || state === undefined || now === undefined || isIncomplete) {
    throw new Error("the quote service returned an incomplete quote");
  }
  const { sourceCurrencyCode: source, destinationCurrencyCode: destination } = quote;
  const bound = (text: string | undefined, currency: string) =>
    text === undefined || text === "" ? undefined : readAmount(text, currency);
  const executable: ExecutableQuote = {
    merchantId: quote.merchantId,
    state,
    corridorOpen: response.corridorOpen,
    limits: {
      sourceMin: bound(limits?.sourceMin, source),
      sourceMax: bound(limits?.sourceMax, source),
      receivingMin: bound(limits?.receivingMin, destination),
      receivingMax: bound(limits?.receivingMax, destination),
    },
    sourceMinor: readAmount(quote.sourceAmount, source),
    receivingMinor: readAmount(quote.receivingAmount, destination),
    expiresAt: timestampDate(quote.expiredAt),
  };
  const { id: beneficiaryId = "", destinationKeys = [] } = beneficiary ?? {};
  const parties = { accountId: quote.accountId, beneficiaryId, destinationKeys };
  const reissueOf = quote.reissueOf || undefined;
  const { exchangeRate } = quote;
  return {
    exchangeRate,
    feesMinor: feesMinor(quote),
    executable,
    ...parties,
    reissueOf,
    /** Returns the quote as a claim at a time would. */
    quoted: (details: PayoutDetails, at: Date): ClaimedQuote => {
      if (beneficiary === undefined) throw new Error("the quote has no beneficiary");
      return claimedQuote(quote, beneficiary, details, at);
    },
    claim: response.claim && { payoutId: response.claim.payoutId, order: orderOf(response.claim) },
    currency: source,
    destination,
    now: timestampDate(now),
  };
}

export type Claimed = { readonly quote: ClaimedQuote; readonly order: PayoutOrder };

/** Encodes an order for the claim. The quote service stores the bytes without reading them. */
export function enclosed(order: PayoutOrder): Uint8Array {
  return BSON.serialize(toStored(order));
}

export function readClaimed({ quote, claim }: ClaimQuoteResponse): Claimed {
  const { beneficiary } = quote ?? {};
  if (quote === undefined || beneficiary === undefined || claim?.claimedAt === undefined) {
    throw new Error("the quote service returned an incomplete claim of a quote");
  }
  const order = orderOf(claim);
  const at = timestampDate(claim.claimedAt);
  return { order, quote: claimedQuote(quote, beneficiary, order.details, at) };
}

/** Decodes the order that a claim encloses. */
function orderOf({ order }: Pick<Claim, "order">): PayoutOrder {
  return fromStored<PayoutOrder>(BSON.deserialize(order) as Stored<PayoutOrder>);
}

function claimedQuote(
  quote: Quote,
  beneficiary: QuotedBeneficiary,
  details: PayoutDetails,
  claimedAt: Date,
): ClaimedQuote {
  return {
    id: quote.id,
    merchantId: quote.merchantId,
    accountId: quote.accountId,
    corridorId: quote.corridorId,
    source: quote.sourceCurrencyCode,
    destination: quote.destinationCurrencyCode,
    sourceMinor: readAmount(quote.sourceAmount, quote.sourceCurrencyCode),
    feesMinor: feesMinor(quote),
    receivingMinor: readAmount(quote.receivingAmount, quote.destinationCurrencyCode),
    isReceivingFixed: quote.receivingFixed,
    exchangeRate: quote.exchangeRate,
    returnCharges: enumName(ReturnCharges, quote.returnCharges) ?? "platform",
    reissueOf: quote.reissueOf || undefined,
    destinationKeys: beneficiary.destinationKeys,
    duplicateKeys: duplicateKeys(beneficiary.destinationKeys, details.referenceId),
    beneficiary: {
      id: beneficiary.id,
      name: beneficiary.name,
      ...(beneficiary.nameLatin !== "" && { nameLatin: beneficiary.nameLatin }),
      accountNumberMasked: beneficiary.accountNumberMasked,
      transferMethod: beneficiary.transferMethod,
      network: beneficiary.network,
    },
    claimedAt,
  };
}

/**
 * Returns the fees: the source amount less the converted amount. Unlike other amounts, fees may be
 * zero.
 */
function feesMinor(quote: Quote): bigint {
  const { sourceCurrencyCode: source, sourceAmount, convertedAmount } = quote;
  return readAmount(sourceAmount, source) - readAmount(convertedAmount, source);
}
