import { describe, expect, it } from "vitest";
import type { Fields } from "../records/rules/private-fields.ts";
import { bodyOfSubmission, formsOf } from "./forms.ts";

const person = { beneficiary_first_name: "Jane", beneficiary_last_name: "Doe" };
const company = { beneficiary_name: "Acme Supplies GmbH" };
const mallory = {
  beneficiary_name: "Mallory Smith",
  beneficiary_first_name: "Mallory",
  beneficiary_last_name: "Smith",
  beneficiary_single_name: "true",
  beneficiary_name_latin: "Mallory Smith",
};

const formsFor = (link: Fields) => formsOf(link, {});
const kinds = (link: Fields) => [
  ...new Set(formsFor(link).map(({ body, accountType }) => `${body} ${accountType}`)),
];

describe("the forms of a link", () => {
  it.each<readonly [string, Fields, readonly string[]]>([
    ["no name", { destination_currency: "EUR" }, ["fiat Individual", "fiat Corporate"]],
    ["a company's name", { destination_currency: "EUR", ...company }, ["fiat Corporate"]],
    ["a person's name", { destination_currency: "EUR", ...person }, ["fiat Individual"]],
    [
      "a last name",
      { destination_currency: "USD", beneficiary_last_name: "Doe" },
      ["fiat Individual"],
    ],
    [
      "the name of a wallet's owner",
      { destination_currency: "USDC_ETH", ...company },
      ["crypto Individual", "crypto Corporate"],
    ],
    ["a person's first name for a wallet", { destination_currency: "USDC_ETH", ...person }, []],
    [
      "a company's name for a person's account",
      { destination_currency: "EUR", beneficiary_account_type: "Individual", ...company },
      [],
    ],
    [
      "a Latin name for a wallet",
      { destination_currency: "BTC", ...company, beneficiary_name_latin: "Acme" },
      [],
    ],
  ])("have every name that the merchant set: %s", (_, link, expected) => {
    expect(kinds(link)).toEqual(expected);
  });
});

describe("a submission", () => {
  it.each<readonly [string, Fields]>([
    ["a company in EUR", { destination_currency: "EUR", ...company }],
    ["a company in USD", { destination_currency: "USD", ...company }],
    ["a person in EUR", { destination_currency: "EUR", ...person }],
    ["a person in INR", { destination_currency: "INR", ...person }],
    ["a wallet", { destination_currency: "USDC_ETH", ...company }],
    [
      "a Latin name",
      {
        ...{ destination_currency: "EUR", beneficiary_name: "山田商事" },
        beneficiary_name_latin: "Yamada Shoji",
      },
    ],
  ])("has no name other than the merchant's: %s", (_, link) => {
    const forms = formsFor(link);
    expect(forms.length).toBeGreaterThan(0);
    for (const form of forms) {
      const body = bodyOfSubmission(form, link, mallory);
      const names = Object.entries(body).filter(([name]) => name in mallory);
      const { destination_currency: _currency, ...locked } = link;
      expect(Object.fromEntries(names), form.name).toEqual(locked);
    }
  });

  it("has the Latin name of the payee if the merchant set no name", () => {
    const link = { destination_currency: "EUR" };
    for (const form of formsFor(link)) {
      const body = bodyOfSubmission(form, link, mallory);
      expect(body).toMatchObject({ beneficiary_name_latin: "Mallory Smith" });
    }
  });

  it("has the part of a name that the merchant left open", () => {
    const link = { destination_currency: "EUR", beneficiary_last_name: "Doe" };
    const [form] = formsFor(link);
    if (form === undefined) throw new Error("no form");
    expect(bodyOfSubmission(form, link, mallory)).toMatchObject({
      ...{ beneficiary_first_name: "Mallory", beneficiary_last_name: "Doe" },
      beneficiary_single_name: true,
    });
    expect(bodyOfSubmission(form, link, mallory)).not.toHaveProperty("beneficiary_name_latin");
  });
});
