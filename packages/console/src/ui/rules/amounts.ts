/** Decimal text as people type it: digits, and decimals after a point. */
const typed = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

/** Groups the digits before the point by threes; the text stays exact. */
export function grouped(amount: string): string {
  const [, sign = "", whole = "", decimals = ""] = /^(-?)(\d+)(\.\d+)?$/.exec(amount) ?? [];
  if (whole === "") return amount;
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${decimals}`;
}

/**
 * What a person typed as an amount, as the interface takes it; undefined where it is none, or zero.
 * Commas between groups of three are understood, since that is how the console writes them.
 */
export function amountOf(text: string): string | undefined {
  const trimmed = text.trim();
  const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(trimmed)
    ? trimmed.replaceAll(",", "")
    : trimmed;
  if (!typed.test(plain) || !/[1-9]/.test(plain)) return undefined;
  return plain;
}

/** Whether decimal text is zero. */
export function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount);
}

/** An amount with its currency: a code stands after it, a symbol before it. */
export function moneyText(amount: string, currency: string): string {
  if (currency === "") return grouped(amount);
  return /^\w/.test(currency) ? `${grouped(amount)} ${currency}` : `${currency}${grouped(amount)}`;
}
