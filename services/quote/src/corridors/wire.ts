import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Corridor as CorridorMessage,
  CorridorSchema,
  type Limits as LimitsMessage,
  LimitsSchema,
  RateSchema,
} from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import type { Corridor, CorridorTerms, Rate } from "./rules/corridor.ts";

/** A rate as other services read it. */
export function rateMessage(rate: Rate) {
  return create(RateSchema, {
    rate: formatDecimal(rate.rate),
    asOf: timestampFromDate(rate.asOf),
    source: rate.source,
  });
}

/** A corridor's bounds on one payout as other services read them. */
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

/** A corridor as other services read it, with the rate in force. */
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
