const bicText = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/;

/**
 * Returns a BIC (ISO 9362) in capitals and without blanks. Returns `undefined` for other text. Does
 * not check that a bank with this BIC exists.
 */
export function bicOf(text: string): string | undefined {
  const written = text.normalize("NFKC").replace(/\s/g, "").toUpperCase();
  return bicText.test(written) ? written : undefined;
}
