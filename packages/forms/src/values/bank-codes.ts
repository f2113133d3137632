import { getCountrySpecifications, isValidBIC, isValidIBAN } from "ibantools";

/** ISO 9362: upper case, 8 or 11 characters. */
export function isBic(text: string): boolean {
  return text === text.toUpperCase() && isValidBIC(text);
}

/**
 * Matches the first two digits of American routing numbers in use: Federal Reserve districts,
 * thrifts, electronic transactions and traveller's cheques (ABA Routing Number Administrative
 * Policy).
 */
const abaPrefixes = /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/;

/** Checksum weights. The weighted sum is a multiple of 10 (ABA). */
const abaWeights = [3, 7, 1, 3, 7, 1, 3, 7, 1] as const;

/** Requires nine digits, a prefix in use and a valid checksum. */
export function isAbaRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text) || !abaPrefixes.test(text) || text === "000000000") return false;
  const sum = abaWeights.reduce((total, weight, at) => total + weight * Number(text.charAt(at)), 0);
  return sum % 10 === 0;
}

/** Reserve Bank of India: four letters of the bank, 0, six characters of the branch. */
const ifsc = /^[A-Z]{4}0[A-Z0-9]{6}$/;

export function isIfsc(text: string): boolean {
  return ifsc.test(text);
}

const ibanCountries = new Map(Object.entries(getCountrySpecifications()));

/**
 * Returns true if the IBAN registry (ISO 13616, kept by SWIFT) lists the country, or the state that
 * the territory belongs to.
 */
export function usesIban(country: string): boolean {
  return ibanCountries.get(stateOf.get(country) ?? country)?.IBANRegistry === true;
}

/**
 * Countries in SEPA (European Payments Council, EPC409-09). ibantools lacks the countries that
 * joined in 2025 and 2026.
 */
const sepaCountries: ReadonlySet<string> = new Set([
  ...[...ibanCountries].flatMap(([country, { SEPA }]) => (SEPA ? [country] : [])),
  ...["AL", "MD", "ME", "MK", "RS"],
]);

/** Requires the electronic form: no spaces, upper case. */
export function isSepaIban(text: string): boolean {
  return isValidIBAN(text) && sepaCountries.has(text.slice(0, 2));
}

/** Territories whose IBANs start with their state's code (IBAN registry, notes to FR and FI). */
const stateOf: ReadonlyMap<string, string> = new Map([
  ...["GF", "GP", "MQ", "RE", "PF", "TF", "YT", "NC", "BL", "MF", "PM", "WF"].map(
    (territory) => [territory, "FR"] as const,
  ),
  ["AX", "FI"],
]);

/** Requires the electronic form: no spaces, upper case. */
export function isIbanOf(country: string, text: string): boolean {
  return isValidIBAN(text) && text.startsWith(stateOf.get(country) ?? country);
}
