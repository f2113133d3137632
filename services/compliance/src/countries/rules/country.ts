import { bicOf } from "@disburse/kernel/payment-methods/bic.ts";
import type { Party } from "@disburse/name-matcher/matcher.ts";
import { type Verdict, worstVerdict } from "@disburse/name-matcher/verdict.ts";
import type { Bank } from "../../banks/rules/bank.ts";
import { type Finding, hitWithoutEntry, type ScreeningHit } from "../../screening/rules/hit.ts";
import { type ScreeningQuery, unitsOf, worstFirst } from "../../screening/rules/screening.ts";

/** The operator's countries by their ISO 3166 alpha-2 codes, with the verdict of each. */
export type CountryRules = ReadonlyMap<string, Exclude<Verdict, "clear">>;

const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });

/** True for a code that parties can have: not for another name of a country, such as `UK`. */
export function isCountry(code: string): boolean {
  if (!/^[A-Z]{2}$/.test(code) || names.of(code) === undefined) return false;
  return Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;
}

/** Adds a hit for each party and bank in one of the operator's countries. */
export function withCountries(
  finding: Finding,
  query: ScreeningQuery,
  rules: CountryRules,
): Finding {
  const found = unitsOf(query).flatMap(({ at, of }) => {
    if ("address" in of) return [];
    const isBank = "bic" in of;
    const type = isBank ? "entity" : of.type;
    const codes = new Set(isBank ? bankCountries(of) : partyCountries(of));
    return [...codes].flatMap((code) => hitsOf(code, { at, type, isBank }, rules));
  });
  if (found.length === 0) return finding;
  const hits = [...found, ...finding.hits].sort(worstFirst);
  return { verdict: worstVerdict(hits.map(({ verdict }) => verdict)), hits };
}

function partyCountries({ countries, documents }: Party): string[] {
  return [...countries, ...documents.map(({ country }) => country)];
}

/** A BIC has the country of its bank in the fifth and sixth letter. */
function bankCountries({ bic, country }: Bank): string[] {
  return [country, bicOf(bic)?.slice(4, 6) ?? ""];
}

function hitsOf(
  code: string,
  { at, type, isBank }: { at: number; type: Party["type"]; isBank: boolean },
  rules: CountryRules,
): ScreeningHit[] {
  const verdict = rules.get(code);
  if (verdict === undefined) return [];
  const of = { subjectIndex: at, entryType: type, verdict };
  // A decision does not hold for another verdict.
  const what = { entryUid: `country-${code}`, entryFingerprint: verdict };
  const whose = isBank ? "the bank is in" : "the party's data name";
  const text = `${whose} ${names.of(code)} (${code}), ${policies[verdict]}`;
  const hit = hitWithoutEntry(of, what, { kind: "country", text });
  // A country is certain. The score decides if clearing the hit needs a second person.
  return [{ ...hit, score: verdict === "block" ? 1 : 0 }];
}

const policies = {
  review: "which the operator reviews",
  block: "to which the operator pays nothing",
} as const;
