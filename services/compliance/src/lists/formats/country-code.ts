import english from "i18n-iso-countries/langs/en.json" with { type: "json" };

/**
 * Spellings of the publishers that no English name of the table has: territories whose people are
 * of a country, former names, abbreviations.
 */
const spellings: Readonly<Record<string, readonly string[]>> = {
  BA: ["Bosnia"],
  BN: ["Brunei"],
  CD: ["DRC", "Congo (Kinshasa)", "Zaire"],
  CG: ["Congo", "Congo (Brazzaville)"],
  CV: ["Cabo Verde"],
  FM: ["Micronesia"],
  GB: ["England", "Scotland", "U.K.", "United Kingdom of Great Britain and Northern Ireland"],
  HK: ["China, Hong Kong Special Administrative Region"],
  KM: ["Comoros Islands"],
  KP: ["DPRK", "Democratic People's Republic of Korea"],
  LA: ["Laos"],
  MD: ["Moldova"],
  MK: ["Macedonia"],
  ML: ["Northern Mali"],
  MM: ["Burma"],
  MO: ["Macau"],
  PH: ["Phillipines"],
  PS: [
    "Gaza",
    "Gaza Strip",
    "North Gaza",
    "Northern Gaza",
    "Occupied Palestinian Territories",
    "Palestinian",
    "Palestinian Territories",
    "West Bank",
    "West Bank (Palestinian Authority)",
  ],
  RS: ["Republic of Serbia"],
  SY: ["Syria"],
  SZ: ["Swaziland"],
  TL: ["East Timor"],
  UA: ["Crimea"],
  VN: ["Viet Nam"],
};

/** Words that publishers put in or leave out. */
const fillers = new Set(["the", "of", "and", "region", "possibly", "d"]);

/**
 * The words of a name in one order, since publishers turn them around: `Korea, North`, `Bahamas,
 * The`, `Congo, Democratic Republic of the`.
 */
function key(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z]+/)
    .map((word) => (word === "st" ? "saint" : word))
    .filter((word) => word !== "" && !fillers.has(word))
    .sort()
    .join(" ");
}

function codesByName(): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  const add = (code: string, names: string | readonly string[]): void => {
    for (const name of typeof names === "string" ? [names] : names) codes.set(key(name), code);
  };
  for (const [code, names] of Object.entries(english.countries)) add(code, names);
  for (const [code, names] of Object.entries(spellings)) add(code, names);
  return codes;
}

const codes = codesByName();

/** ISO 3166 alpha-2 of a country as a publisher spells it; `undefined` for a former country. */
export function countryCode(name: string): string | undefined {
  return codes.get(key(name));
}
