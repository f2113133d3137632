import { currencyOf } from "@disburse/kernel/currency.ts";
import {
  type Decimal,
  divideCeil,
  divideFloor,
  integerDigitsMax,
} from "@disburse/kernel/decimal.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Fee } from "../../corridors/rules/corridor.ts";

export type Terms = {
  readonly source: string;
  readonly destination: string;
  /** Destination units per source unit, above zero. */
  readonly rate: Decimal;
  readonly fee: Fee;
};

/** Amounts in minor units. `converted = source − fees` holds exactly. */
export type Amounts = {
  readonly source: bigint;
  readonly fees: bigint;
  readonly converted: bigint;
  readonly receiving: bigint;
};

type AmountsRefused = Refused<"INVALID_REQUEST">;

/** Destination minor units per source minor unit, as an exact fraction. */
function minorRate({ source, destination, rate }: Omit<Terms, "fee">): {
  over: bigint;
  under: bigint;
} {
  const shift = currencyOf(destination).decimals - currencyOf(source).decimals - rate.scale;
  return shift >= 0
    ? { over: rate.units * 10n ** BigInt(shift), under: 1n }
    : { over: rate.units, under: 10n ** BigInt(-shift) };
}

/**
 * Prices a quote with a fixed source amount. The fee is rounded up and the receiving amount is
 * rounded down, so the platform never loses a fraction (decisions: quotes, fixed source).
 */
export function quoteFixedSource(terms: Terms, source: bigint): Amounts | AmountsRefused {
  const { share, flatMinor } = terms.fee;
  const fees = divideCeil(source * share.units, 10n ** BigInt(share.scale)) + flatMinor;
  const converted = source - fees;
  if (converted <= 0n) return refused("INVALID_REQUEST", "source_amount: must cover the fees");
  const { over, under } = minorRate(terms);
  return bounded(terms, {
    source,
    fees,
    converted,
    receiving: divideFloor(converted * over, under),
  });
}

/**
 * Prices a quote with a fixed receiving amount. The converted amount and the source amount are
 * rounded up, and the fee is their difference. So exactly `receiving` arrives (decisions: quotes,
 * fixed target).
 */
export function quoteFixedTarget(terms: Terms, receiving: bigint): Amounts | AmountsRefused {
  const { share, flatMinor } = terms.fee;
  const converted = convertedBack(terms, receiving);
  const whole = 10n ** BigInt(share.scale);
  const source = divideCeil((converted + flatMinor) * whole, whole - share.units);
  return bounded(terms, { source, fees: source - converted, converted, receiving });
}

/** Converts without fees, rounded up. */
export function convertedTo(terms: Omit<Terms, "fee">, source: bigint): bigint {
  const { over, under } = minorRate(terms);
  return divideCeil(source * over, under);
}

/** Converts without fees, rounded up. */
export function convertedBack(terms: Omit<Terms, "fee">, destination: bigint): bigint {
  const { over, under } = minorRate(terms);
  return divideCeil(destination * under, over);
}

function bounded(terms: Terms, amounts: Amounts): Amounts | AmountsRefused {
  if (amounts.receiving === 0n) {
    return refused("INVALID_REQUEST", "receiving_amount: would round to zero");
  }
  const fits = (minor: bigint, currency: string) =>
    minor < 10n ** BigInt(integerDigitsMax + currencyOf(currency).decimals);
  if (!fits(amounts.source, terms.source)) {
    return refused("INVALID_REQUEST", "source_amount: would be too large");
  }
  if (!fits(amounts.receiving, terms.destination)) {
    return refused("INVALID_REQUEST", "receiving_amount: would be too large");
  }
  return amounts;
}
