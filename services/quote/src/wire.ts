import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ClaimSchema,
  type Corridor as CorridorMessage,
  CorridorSchema,
  type Limits as LimitsMessage,
  LimitsSchema,
  type Quote as QuoteMessage,
  QuoteSchema,
  QuoteState as QuoteStateMessage,
  RateSchema,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { Corridor, CorridorTerms, Rate } from "./domain/corridor.ts";
import type { Claim, Quote } from "./domain/quote.ts";

const stateMessages = {
  open: QuoteStateMessage.OPEN,
  claimed: QuoteStateMessage.CLAIMED,
  expired: QuoteStateMessage.EXPIRED,
} as const satisfies Record<Quote["state"], QuoteStateMessage>;

export function quoteMessage(quote: Quote): QuoteMessage {
  const { source, destination, amounts } = quote;
  return create(QuoteSchema, {
    id: quote.id,
    merchantId: quote.merchantId,
    accountId: quote.accountId,
    corridorId: quote.corridorId,
    sourceCurrencyCode: source,
    destinationCurrencyCode: destination,
    sourceAmount: formatAmount(amounts.source, source),
    convertedAmount: formatAmount(amounts.converted, source),
    totalFees: formatAmount(amounts.fees, source),
    receivingAmount: formatAmount(amounts.receiving, destination),
    exchangeRate: formatDecimal(quote.rate),
    rateAsOf: timestampFromDate(quote.rateAsOf),
    rateSource: quote.rateSource,
    beneficiary: quote.beneficiary,
    state: stateMessages[quote.state],
    createdAt: timestampFromDate(quote.createdAt),
    updatedAt: timestampFromDate(quote.updatedAt),
    expiredAt: timestampFromDate(quote.expiresAt),
  });
}

export function claimMessage(claim: Claim) {
  return create(ClaimSchema, { ...claim, claimedAt: timestampFromDate(claim.claimedAt) });
}

export function rateMessage(rate: Rate) {
  return create(RateSchema, {
    rate: formatDecimal(rate.rate),
    asOf: timestampFromDate(rate.asOf),
    source: rate.source,
  });
}

export function limitsMessage({ source, destination, limits }: CorridorTerms): LimitsMessage {
  const text = (minor: bigint | undefined, currency: string) =>
    minor === undefined ? "" : formatAmount(minor, currency);
  return create(LimitsSchema, {
    sourceMin: text(limits.sourceMin, source),
    sourceMax: text(limits.sourceMax, source),
    receivingMin: text(limits.receivingMin, destination),
    receivingMax: text(limits.receivingMax, destination),
  });
}

export function corridorMessage(corridor: Corridor, rate: Rate | undefined): CorridorMessage {
  return create(CorridorSchema, {
    id: corridor.id,
    sourceCurrencyCode: corridor.source,
    destinationCurrencyCode: corridor.destination,
    active: corridor.active,
    feeShare: formatDecimal(corridor.fee.share),
    feeFlat: formatAmount(corridor.fee.flatMinor, corridor.source),
    limits: limitsMessage(corridor),
    quoteTtlSeconds: corridor.quoteTtlSeconds,
    rateMaxAgeSeconds: corridor.rateMaxAgeSeconds,
    ...(rate === undefined ? {} : { rate: rateMessage(rate) }),
  });
}
