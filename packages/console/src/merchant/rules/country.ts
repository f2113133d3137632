const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

/** Codes that name no country, or are aliases that `Intl` keeps. */
const notCountries = /^(?:AC|CP|CQ|DG|EA|EU|EZ|IC|QO|TA|UN|X[AB]|ZZ)$/;

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const isCurrent = (code: string) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;

/** All countries by code, ordered by name. */
export const countries: readonly (readonly [code: string, name: string])[] = letters
  .flatMap((first) => letters.map((second) => first + second))
  .filter((code) => !notCountries.test(code) && isCurrent(code))
  .flatMap((code) => {
    const name = names.of(code);
    return name === undefined ? [] : [[code, name] as const];
  })
  .toSorted(([, one], [, two]) => one.localeCompare(two, "en"));

/** Returns the name of a country's code, or the text itself. */
export function countryName(code: string): string {
  return countries.find(([each]) => each === code)?.[1] ?? code;
}

/** Returns the code of a country that a person has entered by name or code, or the text itself. */
export function countryCode(text: string): string {
  const typed = text.trim().toLowerCase();
  const found = countries.find((each) => each.some((word) => word.toLowerCase() === typed));
  return found?.[0] ?? text;
}

/** Returns the country of a BIC's bank; "" for a text that is no BIC. */
export function bankCountry(bic: string): string {
  const code = /^[A-Z]{4}([A-Z]{2})[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.exec(compact(bic))?.[1] ?? "";
  return countries.some(([each]) => each === code) ? code : "";
}

/** An IBAN or BIC without blanks, in capitals. */
export function compact(text: string): string {
  return text.replaceAll(/\s/g, "").toUpperCase();
}

/** Returns an IBAN as banks take it; any other account number as it is. */
export function compactIban(text: string): string {
  const iban = compact(text);
  return /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban) ? iban : text;
}
