import english from "i18n-iso-countries/langs/en.json" with { type: "json" };

/**
 * Publishers' spellings that differ from the table's English names: dependent territories, former
 * names, abbreviations.
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

/** Words that publishers include or omit. */
const fillers = new Set(["the", "of", "and", "region", "possibly", "d"]);

/**
 * Returns a key that does not depend on the order of words, because publishers write `Korea,
 * North`, `Bahamas, The` and `Congo, Democratic Republic of the`.
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

/**
 * Returns the ISO 3166 alpha-2 code for a publisher's spelling; `undefined` for a former country.
 */
export function countryCode(name: string): string | undefined {
  return codes.get(key(name));
}
