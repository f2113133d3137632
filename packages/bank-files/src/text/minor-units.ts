import { formatDecimal, parseDecimal, rescale } from "@disburse/kernel/decimal.ts";

/** Currencies whose minor unit is not a hundredth, by its digits (ISO 4217, table A.1). */
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
 * Digits after the point of a currency's amounts (ISO 4217), 0 to 4; `undefined` if it has none.
 */
export function minorDigits(currency: string): number | undefined {
  if (!/^[A-Z]{3}$/.test(currency) || without.includes(currency)) return undefined;
  return digitsByCode.get(currency) ?? 2;
}

/** An amount in minor units (ISO 4217) and its currency code, as in files of banks. */
export type Money = { readonly minor: bigint; readonly currency: string };

/** ISO 20022: 18 digits, 5 of them after the point. */
const amountText = /^\+?(\d{1,18}(?:\.\d*)?|\.\d+)$/;

/**
 * Parses a bank's amount: `5.0100` of USD is 501. Returns `undefined` if the currency has no minor
 * unit, the text is not a decimal, or digits below the minor unit are not zero.
 */
export function readMoney(text: string, currency: string): Money | undefined {
  const digits = minorDigits(currency);
  const written = amountText.exec(text.trim())?.[1];
  if (digits === undefined || written === undefined) return undefined;
  const decimal = parseDecimal(written.replace(/^\./, "0.").replace(/\.$/, ""));
  if (decimal === undefined || decimal.scale > digits) return undefined;
  return { minor: rescale(decimal, digits), currency };
}

/** Writes an amount with all digits of its currency: 501 of USD is `5.01`. */
export function moneyText({ minor, currency }: Money): string {
  const scale = minorDigits(currency);
  if (scale === undefined) throw new Error(`${JSON.stringify(currency)} has no minor unit`);
  return formatDecimal({ units: minor, scale });
}

/** Sums amounts of any currencies exactly: a control sum of ISO 20022. */
export function controlSum(amounts: readonly Money[]): string {
  const scale = 4;
  const units = amounts.reduce((sum, { minor, currency }) => {
    return sum + rescale({ units: minor, scale: minorDigits(currency) ?? 0 }, scale);
  }, 0n);
  const digits = Math.max(0, ...amounts.map(({ currency }) => minorDigits(currency) ?? 0));
  return formatDecimal({ units: rescale({ units, scale }, digits), scale: digits });
}
