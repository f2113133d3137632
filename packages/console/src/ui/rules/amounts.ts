/** Decimal text as people enter it: digits, and decimals after a point. */
const typed = /^(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;

/** Groups the integer digits by three. Keeps all digits of the text. */
export function grouped(amount: string): string {
  const [, sign = "", whole = "", decimals = ""] = /^(-?)(\d+)(\.\d+)?$/.exec(amount) ?? [];
  if (whole === "") return amount;
  return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${decimals}`;
}

/**
 * Converts an entered amount to the public API's format; undefined if it is invalid or zero.
 * Accepts commas between groups of three, because the console displays them.
 */
export function amountOf(text: string): string | undefined {
  const trimmed = text.trim();
  const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(trimmed)
    ? trimmed.replaceAll(",", "")
    : trimmed;
  if (!typed.test(plain) || !/[1-9]/.test(plain)) return undefined;
  return plain;
}

export function isZero(amount: string): boolean {
  return !/[1-9]/.test(amount);
}

/** Formats an amount: a currency code follows it, a symbol precedes it. */
export function moneyText(amount: string, currency: string): string {
  if (currency === "") return grouped(amount);
  return /^\w/.test(currency) ? `${grouped(amount)} ${currency}` : `${currency}${grouped(amount)}`;
}
