import { violationsMessage } from "@disburse/kernel/refusal.ts";
import { readViolations } from "@disburse/kernel/violations.ts";
import { describe, expect, it } from "vitest";
import { checkBody } from "../checks/body.ts";
import { exampleOf } from "../describe/examples.ts";
import type { BodyValues } from "../fields/field.ts";
import { carriedProblems } from "./carried.ts";
import { fiatBeneficiary } from "./fiat-beneficiary.ts";

const now = new Date("2026-11-20T11:26:00.123Z");

function check(values: BodyValues): string {
  const answer = checkBody(fiatBeneficiary, values, { now });
  return Array.isArray(answer) ? violationsMessage(answer) : "";
}

const [usd = {}, inr = {}, eur = {}] = fiatBeneficiary.forms.map(exampleOf).map((body) => {
  const { beneficiary_name_latin: _, ...rest } = body;
  return rest;
});
const ach = { ...usd, transfer_type: "ACH" };
const local = { ...usd, transfer_type: "LOCAL" };
const swift: BodyValues = {
  ...usd,
  transfer_type: "SWIFT",
  routing_code_type_1: "SWIFT",
  routing_code_value_1: "CHASUS33",
  beneficiary_bank_country_code: "US",
};
const methods: readonly (readonly [string, BodyValues])[] = [
  ["SWIFT", swift],
  ["LOCAL", local],
  ["LOCAL", inr],
  ["SEPA", eur],
];

describe("a value that its payment method must carry whole", () => {
  it.each(methods)("over %s is a town of 35 characters", (over, body) => {
    expect(check({ ...body, beneficiary_city: "a".repeat(35) })).toBe("");
    expect(check({ ...body, beneficiary_city: "a".repeat(36) })).toBe(
      `beneficiary_city: must be at most 35 characters over ${over}`,
    );
    expect(check({ ...body, beneficiary_city: "ß".repeat(18) })).toBe(
      `beneficiary_city: must be at most 35 characters in Latin letters, not 36, over ${over}`,
    );
  });

  it.each(methods)("over %s is a street of two lines", (over, body) => {
    expect(check({ ...body, beneficiary_address: "a".repeat(140) })).toBe("");
    expect(check({ ...body, beneficiary_address: "a".repeat(141) })).toBe(
      `beneficiary_address: must be at most 140 characters over ${over}`,
    );
  });

  it.each(methods)("over %s is in letters with a safe romanisation", (over, body) => {
    const change = { beneficiary_city: "東京", beneficiary_address: "Λεωφόρος 1" };
    expect(check({ ...body, ...change })).toBe(
      `beneficiary_city: must be in Latin, Greek or Cyrillic letters over ${over}`,
    );
    expect(check({ ...body, beneficiary_city: "-", beneficiary_address: "..." })).toBe(
      `beneficiary_address: must contain a letter or digit over ${over}; beneficiary_city: is required over ${over}`,
    );
  });

  it("is a state that shares the lines with the street", () => {
    const state = "a".repeat(36);
    const at = (length: number) =>
      check({ ...swift, beneficiary_address: "b".repeat(length), beneficiary_state: state });
    expect(at(70)).toBe("");
    expect(at(102)).toBe("");
    expect(at(103)).toBe(
      "beneficiary_address: must be at most 102 characters beside so long a state over SWIFT",
    );
    expect(check({ ...swift, beneficiary_state: "a".repeat(140) })).toBe("");
    expect(check({ ...swift, beneficiary_state: "a".repeat(141) })).toBe(
      "beneficiary_state: must be at most 140 characters over SWIFT",
    );
  });

  it("is an account number of 17 characters over ACH alone", () => {
    const account = (length: number) => ({ beneficiary_account_number: "1".repeat(length) });
    expect(check({ ...ach, ...account(17) })).toBe("");
    expect(check({ ...ach, ...account(18) })).toBe(
      "beneficiary_account_number: must be at most 17 characters over ACH",
    );
    for (const body of [local, swift, inr]) expect(check({ ...body, ...account(34) })).toBe("");
    expect(check({ ...swift, ...account(35) })).toContain("must be at most 34 characters");
  });

  it("is no address over ACH, which carries none", () => {
    const change = { beneficiary_city: "東".repeat(255), beneficiary_address: "-" };
    expect(check({ ...ach, ...change, beneficiary_state: "a".repeat(255) })).toBe("");
  });

  it("is not a name: names are cut", () => {
    const long = {
      beneficiary_first_name: "a".repeat(255),
      beneficiary_last_name: "b".repeat(255),
    };
    for (const [, body] of methods) expect(check({ ...body, ...long })).toBe("");
    expect(check({ ...ach, ...long })).toBe("");
  });

  it("has its rule and limit in the violations", () => {
    expect(readViolations(check({ ...swift, beneficiary_city: "a".repeat(36) }))).toEqual([
      {
        field: "beneficiary_city",
        rule: "length",
        message: "must be at most 35 characters over SWIFT",
      },
    ]);
    const [none] = readViolations(check({ ...swift, beneficiary_state: "-" }));
    expect(none?.rule).toBe("required");
    const [latin] = readViolations(check({ ...ach, beneficiary_last_name: "山田" }));
    expect(latin).toMatchObject({ field: "beneficiary_name_latin", rule: "required" });
  });
});

describe("a placeholder for a state or postcode", () => {
  const at = (country: string, change: BodyValues) =>
    check({
      ...swift,
      destination_country: country,
      beneficiary_country_code: "",
      ...change,
    });

  it.each(["-", "N/A", "n/a", "–"])("is %s", (none) => {
    expect(at("SG", { beneficiary_state: none })).toBe("");
    expect(at("AE", { beneficiary_state: none, beneficiary_postcode: none })).toBe("");
    expect(at("HK", { beneficiary_state: none, beneficiary_postcode: none })).toBe("");
    expect(at("BR", { beneficiary_state: none })).toBe(
      "beneficiary_state: is required in a postal address of BR",
    );
    expect(at("DE", { beneficiary_postcode: none })).toContain(
      "beneficiary_postcode: is required in a postal address of DE",
    );
  });

  it("is decided by the country of residence, where it is sent", () => {
    const change = { beneficiary_state: "-", beneficiary_country_code: "SG" };
    expect(check({ ...swift, ...change })).toBe("");
    expect(check({ ...ach, ...change })).toBe("");
    expect(check({ ...ach, ...change, beneficiary_country_code: "" })).toContain("address of US");
    expect(check({ ...inr, ...change })).toBe("");
    expect(check({ ...inr, beneficiary_state: "-" })).toContain("address of IN");
    expect(check({ ...eur, beneficiary_country_code: "AE", beneficiary_postcode: "-" })).toBe("");
    expect(check({ ...eur, beneficiary_postcode: "-" })).toContain("address of DE");
  });

  it("is not an empty one", () => {
    expect(at("SG", { beneficiary_state: "" })).toBe("beneficiary_state: is required");
    expect(at("AE", { beneficiary_postcode: " " })).toBe("beneficiary_postcode: is required");
  });
});

describe("a name in another script", () => {
  it.each(["山田", "محمد", "שלום", "สมชาย", "김", "राहुल", "გიორგი"])(
    "as %s needs its Latin letters",
    (name) => {
      const both = { beneficiary_first_name: name, beneficiary_last_name: name };
      for (const body of [ach, swift, local, inr, eur]) {
        const company = {
          ...body,
          beneficiary_account_type: "Corporate",
          beneficiary_name: name,
        };
        const over = String(body.transfer_type);
        const problem = `beneficiary_name_latin: is required over ${over}, as the name is in another script`;
        expect(check({ ...body, ...both })).toBe(problem);
        expect(check(company)).toBe(problem);
        const latin = { beneficiary_name_latin: "Yamada Taro" };
        expect(check({ ...body, ...both, ...latin })).toBe("");
        expect(check({ ...company, ...latin })).toBe("");
      }
    },
  );

  it.each(["Юлия", "Ελένη", "Łukasz", "Jane 😀", "3M"])("is not %s", (name) => {
    expect(check({ ...swift, beneficiary_first_name: name })).toBe("");
  });

  it.each([
    ["José Núñez", ""],
    ["3M", ""],
    ["Ямада", "must be in Latin letters"],
    ["Taro 山田", "must be in Latin letters"],
    ["123", "must be in Latin letters"],
    ["Ꜣmenemhat", "must be in letters that banks carry"],
    ["N / A", "must be a name, not a placeholder such as N/A"],
    ["null null", "must be a name, not a placeholder such as N/A"],
    ["a".repeat(511), ""],
    ["a".repeat(512), "must be at most 511 characters"],
  ])("has %s as its Latin letters: %j", (latin, problem) => {
    expect(check({ ...swift, beneficiary_name_latin: latin })).toBe(
      problem === "" ? "" : `beneficiary_name_latin: ${problem}`,
    );
  });
});

describe("a person with one name", () => {
  const { beneficiary_first_name: _, ...mononym } = swift;

  it("needs no first name where it says so", () => {
    expect(check({ ...mononym, beneficiary_single_name: true })).toBe("");
    expect(check({ ...eur, beneficiary_first_name: "", beneficiary_single_name: true })).toBe("");
    expect(check({ ...swift, beneficiary_single_name: true })).toBe("");
  });

  it("needs both names where it does not", () => {
    const { beneficiary_single_name: _flag, ...without } = mononym;
    for (const body of [without, { ...without, beneficiary_single_name: false }]) {
      expect(check(body)).toBe("beneficiary_first_name: is required");
    }
    const { beneficiary_last_name: _last, ...nameless } = without;
    expect(check(nameless)).toBe(
      "beneficiary_first_name: is required; beneficiary_last_name: is required",
    );
    expect(check({ ...nameless, beneficiary_single_name: true })).toBe(
      "beneficiary_last_name: is required",
    );
  });
});

describe("a stored body", () => {
  const stored = (values: BodyValues) =>
    violationsMessage(carriedProblems(fiatBeneficiary, values));

  it("is carried where nothing is beyond the method's limits", () => {
    for (const body of [ach, swift, local, inr, eur]) expect(stored(body)).toBe("");
    expect(stored({ ...swift, beneficiary_state: "-", beneficiary_postcode: "N/A" })).toBe("");
    expect(stored({ destination_currency: "BTC" })).toBe("");
  });

  it("names what the method cannot carry, with a masked account number too", () => {
    const masked = `${"*".repeat(14)}7890`;
    expect(stored({ ...ach, beneficiary_account_number: masked })).toBe(
      "beneficiary_account_number: must be at most 17 characters over ACH",
    );
    expect(stored({ ...ach, beneficiary_account_number: "****" })).toBe("");
    const { beneficiary_first_name: _, ...rest } = swift;
    expect(
      stored({
        ...rest,
        beneficiary_last_name: "山田",
        beneficiary_city: "a".repeat(36),
        beneficiary_address: "b".repeat(120),
        beneficiary_state: "c".repeat(40),
      }),
    ).toBe(
      "beneficiary_city: must be at most 35 characters over SWIFT; " +
        "beneficiary_name_latin: is required over SWIFT, as the name is in another script; " +
        "beneficiary_address: must be at most 98 characters beside so long a state over SWIFT",
    );
  });
});
