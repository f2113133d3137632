import { electronicFormatIBAN, isValidIBAN } from "ibantools";

/** Whether a text is an IBAN, with its country's length and form and its check digits. */
export function isIban(text: string): boolean {
  return isValidIBAN(electronicFormatIBAN(text) ?? "");
}
