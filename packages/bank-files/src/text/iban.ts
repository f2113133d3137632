import { electronicFormatIBAN, isValidIBAN } from "ibantools";

/** Checks the length and form of the IBAN's country, and the check digits. */
export function isIban(text: string): boolean {
  return isValidIBAN(electronicFormatIBAN(text) ?? "");
}
