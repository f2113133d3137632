import { currencyOf } from "@disburse/kernel/currency.ts";
import { type Decimal, normalise, parseDecimal } from "@disburse/kernel/decimal.ts";
import type { Minor } from "./documents.ts";

/** Parses stored minor units. A database may write 1000 as `1E+3`. */
export function minorOf(stored: Minor): bigint {
  const { units, scale } = decimalOf(stored.toString());
  if (scale !== 0) throw new Error(`${stored} is not a whole number of minor units`);
  return units;
}

/** Throws if the text is not a decimal. */
export function decimalOf(text: string): Decimal {
  const read = parseDecimal(text);
  if (read === undefined) throw new Error(`${JSON.stringify(text)} is not a decimal number`);
  return read;
}

export const zero: Decimal = { units: 0n, scale: 0 };

export function plus(left: Decimal, right: Decimal): Decimal {
  const scale = Math.max(left.scale, right.scale);
  return normalise({ units: unitsAt(left, scale) + unitsAt(right, scale), scale });
}

export function times(left: Decimal, right: Decimal): Decimal {
  return normalise({ units: left.units * right.units, scale: left.scale + right.scale });
}

/** Returns −1, 0 or 1. */
export function compare(left: Decimal, right: Decimal): number {
  const { units } = plus(left, { ...right, units: -right.units });
  return units === 0n ? 0 : units < 0n ? -1 : 1;
}

export function major(minor: bigint, currency: string): Decimal {
  return normalise({ units: minor, scale: currencyOf(currency).decimals });
}

function unitsAt({ units, scale }: Decimal, finer: number): bigint {
  return units * 10n ** BigInt(finer - scale);
}
