import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { checkBody } from "../checks/body.ts";
import type { BodyValues, Form } from "../fields/field.ts";
import { choiceField } from "../fields/make.ts";
import { isNetwork } from "../values/networks.ts";
import { checkWalletAddress } from "../values/wallet-address.ts";
import {
  type BeneficiaryForm,
  beneficiaryForms,
  bodyOf,
  choicesOf,
  possibleValues,
  type RequestedField,
} from "./discovery.ts";

const now = new Date("2026-11-20T11:26:00.123Z");

const nameOf = (form: BeneficiaryForm) =>
  [form.destinationCurrency, form.transferType, form.accountType].filter(Boolean).join(" ");

const all = beneficiaryForms({});

function field(form: BeneficiaryForm | undefined, name: string): RequestedField | undefined {
  return form?.fields.find((each) => each.name === name);
}

const problems = (form: BeneficiaryForm, values: BodyValues) => {
  const answer = checkBody(bodyOf(form), values, { now });
  return Array.isArray(answer) ? answer : [];
};

const exampleOf = (form: BeneficiaryForm, only: (field: RequestedField) => boolean = () => true) =>
  Object.fromEntries(form.fields.filter(only).map(({ name, example }) => [name, example]));

describe("the beneficiary forms", () => {
  it("are one for each currency, transfer type and account type that go together", () => {
    const crypto = choicesOf("destinationCurrency").filter(
      (code) => !/^(USD|USDC|INR|EUR)$/.test(code),
    );
    const expected = [
      ...crypto.flatMap((code) => [`${code} Individual`, `${code} Corporate`]),
      ...["USD", "USDC"].flatMap((code) =>
        ["ACH", "SWIFT", "LOCAL"].flatMap((type) => [
          `${code} ${type} Individual`,
          `${code} ${type} Corporate`,
        ]),
      ),
      "INR LOCAL Individual",
      "INR LOCAL Corporate",
      "EUR SEPA Individual",
      "EUR SEPA Corporate",
    ];
    expect(crypto).toHaveLength(11);
    expect(all.map(nameOf).sort()).toEqual(expected.sort());
  });

  it("are narrowed by each part of the choice, and by all", () => {
    const swift = { destinationCurrency: "USD", transferType: "SWIFT", accountType: "Corporate" };
    expect(beneficiaryForms(swift).map(nameOf)).toEqual(["USD SWIFT Corporate"]);
    expect(beneficiaryForms({ destinationCurrency: "BTC" }).map(nameOf)).toEqual([
      "BTC Individual",
      "BTC Corporate",
    ]);
    expect(beneficiaryForms({ transferType: "LOCAL" })).toHaveLength(6);
    expect(beneficiaryForms({ destinationCurrency: "INR", transferType: "ACH" })).toEqual([]);
    expect(beneficiaryForms({ destinationCurrency: "BTC", transferType: "LOCAL" })).toEqual([]);
  });

  it("take away what the rules would refuse", () => {
    const [swift] = beneficiaryForms({ destinationCurrency: "USD", transferType: "SWIFT" });
    const [ach] = beneficiaryForms({ destinationCurrency: "USD", transferType: "ACH" });
    const [inr] = beneficiaryForms({ destinationCurrency: "INR" });
    const [usdc] = beneficiaryForms({ destinationCurrency: "USDC_ETH" });
    expect(field(swift, "routing_code_type_1")?.allowed).toEqual(["SWIFT"]);
    expect(field(swift, "destination_country")?.allowed).toBeUndefined();
    expect(field(swift, "beneficiary_bank_name")?.required).toBe(false);
    expect(field(swift, "beneficiary_country_code")?.required).toBe(false);
    expect(field(ach, "beneficiary_country_code")?.required).toBe(false);
    expect(field(swift, "beneficiary_bank_city")?.required).toBe(true);
    expect(field(swift, "routing_code_value_1")?.pattern?.problem).toBe("must be a valid BIC");
    expect(field(ach, "routing_code_type_1")?.allowed).toEqual(["ACH CODE"]);
    expect(field(ach, "destination_country")?.allowed).toEqual(["US"]);
    expect(field(ach, "beneficiary_bank_city")?.required).toBe(false);
    expect(field(inr, "destination_country")?.allowed).toEqual(["IN"]);
    expect(field(usdc, "routing_code_value_1")?.allowed).toEqual(["ETHEREUM", "BNB"]);
    expect(field(usdc, "destination_currency")?.required).toBe(true);
    // The choice settles these rules, so the description omits them.
    const routing =
      "The routing code type must be SWIFT for SWIFT transfers, and ACH CODE for ACH and LOCAL transfers.";
    expect([swift, ach].map((form) => form?.rules.includes(routing))).toEqual([false, false]);
    expect(inr?.rules).not.toContain("For INR, the destination country must be IN.");
    const iban = expect.stringContaining("uses IBAN");
    expect(swift?.rules).toContainEqual(iban);
    expect(ach?.rules).not.toContainEqual(iban);
    const [sol] = beneficiaryForms({ destinationCurrency: "USDC_SOL" });
    expect(field(sol, "destination_currency")?.required).toBe(false);
  });

  it("show the limits of the payment method", () => {
    const max = (currency: string, transferType: string, name: string) =>
      field(beneficiaryForms({ destinationCurrency: currency, transferType })[0], name)?.maxLength;
    expect(max("USD", "ACH", "beneficiary_account_number")).toBe(17);
    // 34, and the spaces of an IBAN.
    expect(max("USD", "SWIFT", "beneficiary_account_number")).toBe(48);
    expect(max("USD", "ACH", "beneficiary_city")).toBe(255);
    for (const [currency, transfer] of [
      ["USD", "SWIFT"],
      ["USD", "LOCAL"],
      ["INR", "LOCAL"],
      ["EUR", "SEPA"],
    ] as const) {
      expect(max(currency, transfer, "beneficiary_city"), transfer).toBe(35);
      expect(max(currency, transfer, "beneficiary_address"), transfer).toBe(140);
      expect(max(currency, transfer, "beneficiary_postcode"), transfer).toBe(12);
    }
  });

  it("name the flag that makes a first name optional", () => {
    const [person, company] = beneficiaryForms({ destinationCurrency: "EUR" });
    expect(field(person, "beneficiary_single_name")).toBeUndefined();
    expect(field(person, "beneficiary_first_name")).toMatchObject({
      required: true,
      requiredUnless: "beneficiary_single_name",
    });
    expect(field(person, "beneficiary_last_name")?.requiredUnless).toBeUndefined();
    expect(company?.fields.some(({ requiredUnless }) => requiredUnless)).toBe(false);
  });

  it("use a deployment's values in place of the tables' sets", () => {
    const networks = { routing_code_value_1: ["ETHEREUM", "BTC"] };
    const open = beneficiaryForms({}, networks);
    expect(
      field(
        open.find(({ name }) => name.startsWith("crypto")),
        "routing_code_value_1",
      ),
    ).toHaveProperty("allowed", ["ETHEREUM"]);
    expect(open.some(({ destinationCurrency }) => destinationCurrency === "USDT_TRON")).toBe(false);
  });
});

describe("a rule with a condition", () => {
  const form: Form = {
    ...{ name: "paint", description: "A can of paint.", selectedBy: [] },
    fields: [
      choiceField("ground", "What is painted.", ["hull", "deck"]),
      choiceField("colour", "Its colour.", ["red", "grey"]),
    ],
    rules: [
      {
        description: "A hull is red.",
        when: { field: "ground", in: ["hull"] },
        ...{ reads: ["colour"], reports: "colour" },
        check: (text) => (text("colour") === "red" ? undefined : "must be red"),
      },
    ],
  };

  it.each([
    ["where it holds", { ground: "hull" }, ["red"]],
    ["not where it does not", { ground: "deck" }, ["red", "grey"]],
    ["not while it is open", {}, ["red", "grey"]],
  ])("takes values away %s", (_, chosen, colours) => {
    expect(possibleValues(form, chosen, {}).get("colour")).toEqual(colours);
  });
});

describe.each(all.map((form) => [nameOf(form), form] as const))("%s", (_, form) => {
  it("is taken with its own examples, and with the required ones alone", () => {
    expect(problems(form, exampleOf(form))).toEqual([]);
    expect(
      problems(
        form,
        exampleOf(form, ({ required }) => required),
      ),
    ).toEqual([]);
  });

  it("has patterns and shapes that its examples match", () => {
    for (const { example, pattern, shape } of form.fields) {
      if (pattern !== undefined) expect(example).toMatch(new RegExp(pattern.source, "u"));
      if (shape !== undefined) expect(example).toMatch(new RegExp(shape, "u"));
    }
    const network = field(form, "routing_code_value_1")?.example ?? "";
    if (!isNetwork(network)) return;
    const address = field(form, "beneficiary_account_number")?.example ?? "";
    expect(isRefused(checkWalletAddress(network, address))).toBe(false);
  });

  it("is refused without any one of its required fields, by its name", () => {
    for (const { name, required } of form.fields) {
      const { [name]: left, ...rest } = exampleOf(form);
      const named = problems(form, rest).map((each) => each.field);
      if (required) expect(named, name).toContain(name);
      else expect(named, name).toEqual([]);
      expect(left).toBeDefined();
    }
  });

  it("takes every value that it allows, and no other", () => {
    for (const { name, allowed, required } of form.fields) {
      for (const value of allowed ?? []) {
        const named = problems(form, { ...exampleOf(form), [name]: value });
        expect(
          named.map((each) => each.field),
          `${name} ${value}`,
        ).not.toContain(name);
      }
      if (allowed === undefined || !required) continue;
      const named = problems(form, { ...exampleOf(form), [name]: "NO_SUCH_VALUE" });
      expect(named.map((each) => each.field)).toContain(name);
    }
  });
});
