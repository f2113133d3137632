import type { Party } from "@disburse/name-matcher/matcher.ts";
import { expect, it } from "vitest";
import type { ScreeningQuery } from "../../screening/rules/screening.ts";
import { type CountryRules, isCountry, withCountries } from "./country.ts";

const rules: CountryRules = new Map([
  ["KP", "block"],
  ["IR", "review"],
]);
const clear = { verdict: "clear", hits: [] } as const;
const party = (countries: readonly string[], documents: Party["documents"] = []): Party => {
  return { type: "individual", name: "Ann Example", date: "", countries, documents };
};
const bank = (bic: string, country = "") => ({ name: "", bic, country });
const found = (query: Partial<ScreeningQuery>) => {
  const all = { parties: [], wallets: [], ...query };
  const { verdict, hits } = withCountries(clear, all, rules);
  return [verdict, ...hits.map(({ subjectIndex, entryUid }) => `${subjectIndex} ${entryUid}`)];
};

it("finds the countries of parties and of their documents, once each", () => {
  expect(found({ parties: [party(["DE", "FR"])] })).toEqual(["clear"]);
  expect(found({ parties: [party(["DE"]), party(["IR", "IR"])] })).toEqual([
    "review",
    "1 country-IR",
  ]);
  const documents = [
    { number: "X1", country: "KP" },
    { number: "X2", country: "" },
  ];
  expect(found({ parties: [party(["IR"], documents)] })).toEqual([
    "block",
    "0 country-KP",
    "0 country-IR",
  ]);
});

it("finds the countries of banks, also in a BIC", () => {
  const banks = [bank("ABCDIRTHXXX"), bank("", "KP"), bank("COBADEFF")];
  expect(found({ parties: [party(["DE"])], banks })).toEqual([
    "block",
    "2 country-KP",
    "1 country-IR",
  ]);
});

it("finds nothing for a wallet, and without rules", () => {
  const wallets = [{ families: ["evm"], address: "0x1" }] as const;
  expect(found({ wallets: [...wallets] })).toEqual(["clear"]);
  const query = { parties: [party(["KP"])], wallets: [] };
  expect(withCountries(clear, query, new Map())).toBe(clear);
});

it("explains the hit, whose decision does not hold for another verdict", () => {
  const query = { parties: [party(["KP"])], wallets: [] };
  const [hit] = withCountries(clear, query, rules).hits;
  const text = "the party's data name North Korea (KP), to which the operator pays nothing";
  expect(hit).toMatchObject({ list: "", score: 1, reasons: [{ kind: "country", text }] });
  const [eased] = withCountries(clear, query, new Map([["KP", "review"]])).hits;
  expect(eased).toMatchObject({ score: 0, verdict: "review" });
  expect(eased?.entryFingerprint).not.toBe(hit?.entryFingerprint);
});

it("knows codes of countries, and no other names of them", () => {
  expect(["GB", "XK", "KP"].every(isCountry)).toBe(true);
  expect(["UK", "gb", "GBR", "", "QQ"].some(isCountry)).toBe(false);
});
