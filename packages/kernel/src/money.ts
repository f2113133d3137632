import { currencyOf } from "./currency.ts";
import { formatDecimal, integerDigitsMax, parseDecimal, rescale } from "./decimal.ts";
import { isRefused, type Refused, refused } from "./refusal.ts";

/** A refused amount. `detail` is the sentence that the merchant reads. */
export type AmountRefusal = Refused<"NOT_AN_AMOUNT">;

/**
 * Parses the decimal text of an amount without rounding. Refuses text that is not a decimal, more
 * decimals than the currency has, more than 15 digits before the point, and values that are not
 * above zero.
 */
export function parseAmount(text: string, currencyCode: string): bigint | AmountRefusal {
  const { decimals } = currencyOf(currencyCode);
  const decimal = parseDecimal(text);
  if (decimal === undefined) return refused("NOT_AN_AMOUNT", "must be a decimal number");
  if (decimal.units <= 0n) return refused("NOT_AN_AMOUNT", "must be greater than zero");
  if (decimal.scale > decimals) {
    return refused("NOT_AN_AMOUNT", `must have at most ${decimals} decimals`);
  }
  const minor = rescale(decimal, decimals);
  if (minor >= 10n ** BigInt(decimals + integerDigitsMax)) {
    return refused(
      "NOT_AN_AMOUNT",
      `must have at most ${integerDigitsMax} digits before the point`,
    );
  }
  return minor;
}

/** Parses an amount that our own services wrote. Throws if the text is not an amount. */
export function readAmount(text: string, currencyCode: string): bigint {
  const amount = parseAmount(text, currencyCode);
  if (isRefused(amount)) throw new Error(`not an amount of ${currencyCode}: ${amount.detail}`);
  return amount;
}

/**
 * Writes minor units with all decimals of their currency: `100.10`. Accepts zero and negative
 * values.
 */
export function formatAmount(minor: bigint, currencyCode: string): string {
  return formatDecimal({ units: minor, scale: currencyOf(currencyCode).decimals });
}
