import { describe, expect, it } from "vitest";
import {
  carriedProblem,
  isPlaceholder,
  limitOf,
  paymentLimits,
  paymentMethodOf,
} from "./limits.ts";

describe("the table of limits", () => {
  it("has the columns and elements of the files", () => {
    const table = Object.entries(paymentLimits).map(([method, limits]) => {
      return [method, Object.entries(limits).map(([part, { max }]) => `${part} ${max}`)];
    });
    const address = ["street 140", "town 35", "state 140", "postcode 16"];
    expect(Object.fromEntries(table)).toEqual({
      SWIFT: ["name 140", "account 34", "routing 11", ...address, "remittance 140"],
      SEPA: [
        ...["name 70", "account 34", "routing 11", "street 140", "town 35", "postcode 16"],
        "remittance 140",
      ],
      ACH: ["name 22", "account 17", "routing 9", "remittance 80"],
      LOCAL_USD: ["name 140", "account 34", "routing 9", ...address, "remittance 140"],
      LOCAL_INR: ["name 140", "account 34", "routing 11", ...address, "remittance 140"],
    });
  });

  it("names a source for each, and cuts names and remittance alone", () => {
    const cut = new Set<string>();
    for (const limits of Object.values(paymentLimits)) {
      for (const [part, { source, longer }] of Object.entries(limits)) {
        expect(source).toMatch(/ISO|Nacha|EPC/);
        if (longer === "cut") cut.add(part);
      }
    }
    expect([...cut]).toEqual(["name", "remittance"]);
  });

  it("has no address over ACH", () => {
    expect(() => limitOf("ACH", "town")).toThrow("the payment method ACH does not carry town");
  });
});

it.each([
  ["SWIFT", "USD", "SWIFT"],
  ["SEPA", "EUR", "SEPA"],
  ["ACH", "USDC", "ACH"],
  ["LOCAL", "USDC", "LOCAL_USD"],
  ["LOCAL", "INR", "LOCAL_INR"],
  ["CRYPTO", "BTC", undefined],
])("%s of %s is %s", (transferType, currency, method) => {
  expect(paymentMethodOf(transferType, currency)).toBe(method);
});

describe("a value that a method must carry whole", () => {
  const problem = (text: string, part: "account" | "town" | "name") =>
    carriedProblem(text, limitOf(part === "account" ? "ACH" : "SWIFT", part), "X");

  it.each([
    ["1".repeat(17), "account", undefined],
    ["1".repeat(18), "account", "must be at most 17 characters over X"],
    ["a".repeat(35), "town", undefined],
    ["a".repeat(36), "town", "must be at most 35 characters over X"],
    // Counted as the file has it: ß has two letters, the soft sign none, an emoji none.
    [`${"a".repeat(33)}ß`, "town", undefined],
    [
      `${"a".repeat(34)}ß`,
      "town",
      "must be at most 35 characters in Latin letters, not 36, over X",
    ],
    [`${"а".repeat(35)}ь`, "town", undefined],
    [`${"a".repeat(35)}😀`, "town", undefined],
    ["東京", "town", "must be in Latin, Greek or Cyrillic letters over X"],
    ["Αθήνα", "town", undefined],
    ["-", "town", "is required over X"],
    ["n/a", "town", "is required over X"],
    ["...", "town", "must contain a letter or digit over X"],
    ["a".repeat(255), "name", undefined],
    ["山田", "name", "must be in Latin, Greek or Cyrillic letters over X"],
  ] as const)("%s as %s: %s", (text, part, expected) => {
    expect(problem(text, part)).toBe(expected);
  });
});

it.each([
  ["-", true],
  ["–", true],
  [" N/A ", true],
  ["n/a", true],
  ["NA", false],
  ["--", false],
  ["", false],
])("%j is a placeholder: %s", (text, expected) => {
  expect(isPlaceholder(text)).toBe(expected);
});
