/** Parses an amount such as `12.34` into hundredths. Returns `undefined` for any other text. */
export function hundredths(text: string): bigint | undefined {
  const [, whole, part = ""] = /^(\d{1,16})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole) * 100n + BigInt(part.padEnd(2, "0"));
}

export function amountText(minor: bigint): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, "0");
  return `${minor < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function sumOf(amounts: Iterable<{ readonly minor: bigint }>): bigint {
  let sum = 0n;
  for (const { minor } of amounts) sum += minor;
  return sum;
}
