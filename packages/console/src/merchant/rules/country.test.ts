import { expect, test } from "vitest";
import { bankCountry, compactIban, countries, countryCode, countryName } from "./country.ts";

test("knows the countries, and none twice", () => {
  expect(countries.length).toBeGreaterThan(245);
  expect(countries.length).toBeLessThan(255);
  for (const code of ["EU", "UK", "SU", "ZZ"]) expect(countryName(code)).toBe(code);
  expect(countryName("CI")).toBe("Côte d’Ivoire");
});

test.each([
  ["germany", "DE"],
  [" DE ", "DE"],
  ["de", "DE"],
  ["Germ", "Germ"],
])("reads the country %j as %s", (text, code) => {
  expect(countryCode(text)).toBe(code);
});

test.each([
  ["cobadeff", "DE"],
  ["DEUT DE FF 500", "DE"],
  ["COBAXXFF", ""],
  ["COBA", ""],
])("the bank of %j is in %j", (bic, country) => {
  expect(bankCountry(bic)).toBe(country);
});

test("compacts IBANs and nothing else", () => {
  expect(compactIban("de89 3704 0044 0532 0130 00")).toBe("DE89370400440532013000");
  expect(compactIban("12 34 ab")).toBe("12 34 ab");
});
