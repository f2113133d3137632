const bicText = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/;

/**
 * A text as a BIC (ISO 9362), without blanks and in capitals; `undefined` for a text that is none.
 * Whether a bank has it is not known here.
 */
export function bicOf(text: string): string | undefined {
  const written = text.normalize("NFKC").replace(/\s/g, "").toUpperCase();
  return bicText.test(written) ? written : undefined;
}
