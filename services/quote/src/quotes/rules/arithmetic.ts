import { currencyOf } from "@disburse/kernel/currency.ts";
import {
  type Decimal,
  divideCeil,
  divideFloor,
  integerDigitsMax,
} from "@disburse/kernel/decimal.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Fee } from "../../corridors/rules/corridor.ts";

/** What a quote is computed from; all in minor units of its currencies. */
export type Terms = {
  readonly source: string;
  readonly destination: string;
  /** Destination units per one source unit, above zero. */
  readonly rate: Decimal;
  readonly fee: Fee;
};

/** The amounts of a quote in minor units; `converted = source − fees`, exactly. */
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
 * What arrives when exactly `source` is sent: the fee rounds up, what arrives rounds down, so the
 * platform is never short by a fraction (decisions: quotes, fixed source).
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
 * What must be sent so that exactly `receiving` arrives: the amount to convert and the source
 * amount round up, the fee is what lies between them (decisions: quotes, fixed target).
 */
export function quoteFixedTarget(terms: Terms, receiving: bigint): Amounts | AmountsRefused {
  const { share, flatMinor } = terms.fee;
  const converted = convertedBack(terms, receiving);
  const whole = 10n ** BigInt(share.scale);
  const source = divideCeil((converted + flatMinor) * whole, whole - share.units);
  return bounded(terms, { source, fees: source - converted, converted, receiving });
}

/** An amount of the source in the destination's currency, without fees; rounded up. */
export function convertedTo(terms: Omit<Terms, "fee">, source: bigint): bigint {
  const { over, under } = minorRate(terms);
  return divideCeil(source * over, under);
}

/** An amount of the destination in the source's currency, without fees; rounded up. */
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
