/** An exact decimal: `units` × 10^-`scale`. */
export type Decimal = { readonly units: bigint; readonly scale: number };

/** The most digits before the point in any amount or rate (decisions: wire conventions). */
export const integerDigitsMax = 15;

/**
 * The maximum length of a text, which limits the cost of parsing. Longer text can't be an exact
 * amount.
 */
const textLengthMax = 64;

const decimalText = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Parses a decimal in JSON's notation without rounding. Returns `undefined` for other text or too
 * many digits.
 */
export function parseDecimal(text: string): Decimal | undefined {
  if (text.length > textLengthMax) return undefined;
  const match = decimalText.exec(text);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const shift = Number(exponent);
  if (Math.abs(shift) > textLengthMax) return undefined;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - shift;
  return normalise(scale >= 0 ? { units: digits, scale } : raise(digits, -scale));
}

function raise(units: bigint, by: number): Decimal {
  return { units: units * 10n ** BigInt(by), scale: 0 };
}

/** Removes trailing zeros after the point. */
export function normalise(decimal: Decimal): Decimal {
  let { units, scale } = decimal;
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  return { units, scale };
}

/**
 * Returns the units of a decimal at another scale. Throws if that scale can't hold the value
 * exactly.
 */
export function rescale(decimal: Decimal, scale: number): bigint {
  const by = scale - decimal.scale;
  if (by >= 0) return decimal.units * 10n ** BigInt(by);
  const divisor = 10n ** BigInt(-by);
  if (decimal.units % divisor !== 0n)
    throw new Error("the decimal has nonzero digits beyond the new scale");
  return decimal.units / divisor;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return normalise({ units: rescale(a, scale) + rescale(b, scale), scale });
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return normalise({ units: a.units * b.units, scale: a.scale + b.scale });
}

/** Writes all digits, with at least `decimalsMin` digits after the point. */
export function formatDecimal(decimal: Decimal, decimalsMin = 0): string {
  const { units, scale } = decimal;
  if (scale < decimalsMin) {
    return formatDecimal({ units: rescale(decimal, decimalsMin), scale: decimalsMin });
  }
  const sign = units < 0n ? "-" : "";
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  if (scale === 0) return sign + digits;
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Rounds the quotient towards minus infinity. The denominator must be positive. */
export function divideFloor(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return numerator % denominator < 0n ? quotient - 1n : quotient;
}

/** Rounds the quotient towards plus infinity. The denominator must be positive. */
export function divideCeil(numerator: bigint, denominator: bigint): bigint {
  return -divideFloor(-numerator, denominator);
}
