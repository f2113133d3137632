import { addressLinesMax, iso20022Max, isPlaceholder } from "./limits.ts";

/**
 * Countries and territories whose postal addresses need a state in addition to the town. The list
 * has those for which Google's libaddressinput (chromium-i18n.appspot.com/ssl-address) requires the
 * administrative area. It also has Mexico, whose last address line contains the state (Correos de
 * México). It omits those whose area is the town itself, an island or a district of the town (AE,
 * HK, KN, KY, NR, PF).
 */
const withState: ReadonlySet<string> = new Set(
  (
    "AS AU BR CA CN CO CR ES FM HN ID IN IQ IT JM JP KR MH MP MX PG PW RU SO SV TW UA UM US VE " +
    "VI"
  ).split(" "),
);

/**
 * Countries and territories whose format in Google's libaddressinput has no postcode. Some have
 * introduced postcodes since, but accept addresses without them (UPU, POST*CODE).
 */
const withoutPostcode: ReadonlySet<string> = new Set(
  (
    "AE AG AO AQ AW BF BI BJ BO BQ BS BV BW BZ CD CF CG CI CK CM CW DJ DM ER FJ GA GD GH GM GQ GY " +
    "HK JM KI KM KN LC LY ML MO MR MS MW NR NU PA PS QA RW SB SC SL SR SS ST SX SY TD TF TG TK " +
    "TL TO TT TV UG VU WS YE ZW"
  ).split(" "),
);

/**
 * Returns true if addresses in the country need a state. The country is an ISO 3166-1 alpha-2 code.
 */
export function needsState(country: string): boolean {
  return withState.has(country);
}

export function hasPostcodes(country: string): boolean {
  return !withoutPostcode.has(country);
}

/** Returns the payee's country of residence, or the destination country if it is absent. */
export function payeeCountry(text: (field: string) => string): string {
  return text("beneficiary_country_code") || text("destination_country");
}

/** Returns the text, or `""` for a placeholder. */
export function givenText(text: string): string {
  return isPlaceholder(text) ? "" : text;
}

/** The address parts that may move to address lines, romanised for the file. */
export type AddressParts = { readonly street: string; readonly state: string };

/**
 * An address with optional address lines. Street and state are empty if their text was moved to the
 * address lines.
 */
export type HybridAddress = AddressParts & { readonly lines: readonly string[] };

/**
 * Returns a structured address if both parts fit. Otherwise returns a hybrid one: a street longer
 * than 70 characters or a state longer than 35 moves to at most two lines of 70 characters. Returns
 * `undefined` if the text does not fit in two lines.
 */
export function hybridAddress({ street, state }: AddressParts): HybridAddress | undefined {
  const [streetLength, stateLength] = [lengthOf(street), lengthOf(state)];
  const isLong = streetLength > iso20022Max.street;
  const isStateLong = stateLength > iso20022Max.state;
  const moved = [isLong ? street : "", isStateLong ? state : ""];
  const lines = linesOf(moved.filter((text) => text !== "").join(", "));
  if (lines === undefined) return undefined;
  return { street: isLong ? "" : street, state: isStateLong ? "" : state, lines };
}

const lengthOf = (text: string) => Array.from(text).length;

/**
 * Splits a text into lines. Splits at a blank if both lines then fit, otherwise after 70
 * characters.
 */
function linesOf(text: string): readonly string[] | undefined {
  const max = iso20022Max.addressLine;
  const characters = Array.from(text);
  if (characters.length === 0) return [];
  if (characters.length <= max) return [text];
  if (characters.length > addressLinesMax * max) return undefined;
  const blank = characters.lastIndexOf(" ", max);
  const at = blank > 0 && characters.length - blank - 1 <= max ? blank : max;
  const parts = [characters.slice(0, at), characters.slice(at)];
  return parts.map((part) => part.join("").trim());
}
