import { formatDecimal, parseDecimal, rescale } from "@disburse/kernel/decimal.ts";

/** Currencies whose number of decimals is not 2, by that number (ISO 4217, table A.1). */
const exceptions: ReadonlyMap<number, string> = new Map([
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"],
]);

/** Metals, funds and codes for tests have no minor unit. */
const without = "XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX".split(" ");

const digitsByCode = new Map(
  [...exceptions].flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, digits])),
);

/**
 * Returns the number of decimals of a currency (ISO 4217), 0 to 4. Returns `undefined` if the
 * currency has no minor unit.
 */
export function minorDigits(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency) || without.includes(currency)) return undefined;
  return digitsByCode.get(currency) ?? 2;
}

/** An amount in minor units (ISO 4217), with its currency code. */
export type Money = { readonly minor: bigint; readonly currency: string };

/** An ISO 20022 amount: up to 18 digits, up to 5 of them decimals. */
const amountText = /^\+?(\d{1,18}(?:\.\d*)?|\.\d+)$/;

/**
 * Parses a bank's amount: `5.0100` in USD gives 501. Returns `undefined` if the text is not a
 * decimal, if the currency has no minor unit, or if digits below the minor unit are not zero.
 */
export function readMoney(text: string, currency: string): Money | undefined {
  const digits = minorDigits(currency);
  const written = amountText.exec(text.trim())?.[1];
  if (digits === undefined || written === undefined) return undefined;
  const decimal = parseDecimal(written.replace(/^\./, "0.").replace(/\.$/, ""));
  if (decimal === undefined || decimal.scale > digits) return undefined;
  return { minor: rescale(decimal, digits), currency };
}

/** Writes an amount with all decimals of its currency: 501 in USD gives `5.01`. */
export function moneyText({ minor, currency }: Money): string {
  const scale = minorDigits(currency);
  if (scale === undefined)
    throw new Error(`the currency ${JSON.stringify(currency)} has no minor unit`);
  return formatDecimal({ units: minor, scale });
}

/**
 * Sums amounts regardless of their currencies, as ISO 20022 defines a control sum. The sum is
 * exact.
 */
export function controlSum(amounts: readonly Money[]): string {
  const scale = 4;
  const units = amounts.reduce((sum, { minor, currency }) => {
    return sum + rescale({ units: minor, scale: minorDigits(currency) ?? 0 }, scale);
  }, 0n);
  const digits = Math.max(0, ...amounts.map(({ currency }) => minorDigits(currency) ?? 0));
  return formatDecimal({ units: rescale({ units, scale }, digits), scale: digits });
}
