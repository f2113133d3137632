import { violationsMessage } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { checkBody } from "../checks/body.ts";
import { exampleOf } from "../describe/examples.ts";
import type { BodyValues } from "../fields/field.ts";
import { fiatBeneficiary } from "./fiat-beneficiary.ts";

const now = new Date("2026-11-20T11:26:00.123Z");

function check(values: BodyValues): string {
  const answer = checkBody(fiatBeneficiary, values, { now });
  return Array.isArray(answer) ? violationsMessage(answer) : "";
}

const [usd = {}, inr = {}, eur = {}] = fiatBeneficiary.forms.map(exampleOf);
const swift: BodyValues = {
  ...usd,
  transfer_type: "SWIFT",
  routing_code_type_1: "SWIFT",
  routing_code_value_1: "DEUTDEFF500",
  destination_country: "DE",
  beneficiary_bank_country_code: "DE",
  beneficiary_account_number: "DE89370400440532013000",
};

/** An account in a country whose banks do not use IBAN. */
const swiftToUs: BodyValues = {
  destination_country: "US",
  beneficiary_bank_country_code: "US",
  beneficiary_account_number: "1234567890",
  routing_code_value_1: "CHASUS33",
};

describe("a fiat beneficiary", () => {
  it.each([
    ["ACH", usd, {}, ""],
    ["LOCAL", usd, { transfer_type: "LOCAL" }, ""],
    ["fiat USDC", usd, { destination_currency: "USDC" }, ""],
    ["SWIFT", swift, {}, ""],
    ["SWIFT to a country without IBAN", swift, swiftToUs, ""],
    [
      "ACH by SWIFT",
      usd,
      { routing_code_type_1: "SWIFT" },
      "routing_code_type_1: must be ACH CODE",
    ],
    [
      "SWIFT by ACH",
      swift,
      { routing_code_type_1: "ACH CODE" },
      "routing_code_type_1: must be SWIFT",
    ],
    ["ACH abroad", usd, { destination_country: "GB" }, "destination_country: must be US where"],
    [
      "LOCAL abroad",
      usd,
      { transfer_type: "LOCAL", destination_country: "GB" },
      "must be US where transfer_type is LOCAL",
    ],
    ["a wrong ABA checksum", usd, { routing_code_value_1: "021000022" }, "must be a valid ABA"],
    ["a bad BIC", swift, { routing_code_value_1: "DEUTDEF" }, "must be a valid BIC"],
    ["a lower-case BIC", swift, { routing_code_value_1: "deutdeff" }, "must be a valid BIC"],
    [
      "a wrong IBAN checksum",
      swift,
      { beneficiary_account_number: "DE88370400440532013000" },
      "must be a valid IBAN of DE",
    ],
    [
      "another country's IBAN",
      swift,
      { beneficiary_account_number: "GB82WEST12345698765432" },
      "must be a valid IBAN of DE",
    ],
    [
      "an IBAN with spaces",
      swift,
      { beneficiary_account_number: "DE89 3704 0044 0532 0130 00" },
      "",
    ],
    [
      "a wrong IBAN with spaces",
      swift,
      { beneficiary_account_number: "DE88 3704 0044 0532 0130 00" },
      "must be a valid IBAN of DE",
    ],
    [
      "another account with spaces",
      swiftToUs,
      { beneficiary_account_number: "1234 5678" },
      "must contain letters and digits only",
    ],
    [
      "Réunion by France",
      swift,
      {
        beneficiary_bank_country_code: "RE",
        beneficiary_account_number: "FR1420041010050500013M02606",
      },
      "",
    ],
    [
      "35 digits",
      usd,
      { beneficiary_account_number: "1".repeat(35) },
      "must be at most 34 characters",
    ],
    ["EUR", eur, {}, ""],
    ["EUR without a BIC", eur, { bic: "" }, ""],
    ["EUR to Serbia, in SEPA since 2026", eur, { iban: "RS35260005601001611379" }, ""],
    ["EUR to one who lives outside of SEPA", eur, { beneficiary_country_code: "BR" }, ""],
    [
      "EUR to an IBAN outside of SEPA",
      eur,
      { iban: "BR1800360305000010009795493C1" },
      "iban: must be a valid IBAN of a country in SEPA",
    ],
    ["a wrong checksum in EUR", eur, { iban: "DE88370400440532013000" }, "iban: must be a valid"],
    ["an IBAN in small letters", eur, { iban: "de89370400440532013000" }, ""],
    ["an IBAN in groups", eur, { iban: "DE89 3704 0044 0532 0130 00" }, ""],
    [
      "a wrong IBAN in groups",
      eur,
      { iban: "DE88 3704 0044 0532 0130 00" },
      "iban: must be a valid",
    ],
    ["a BIC of no country", eur, { bic: "COBAXXFF" }, "bic: must be a valid BIC"],
    ["EUR by SWIFT", eur, { transfer_type: "SWIFT" }, "transfer_type: must be one of SEPA"],
    ["SWIFT without a residence", swift, { beneficiary_country_code: "" }, ""],
    [
      "an IBAN of Kosovo",
      swift,
      {
        destination_country: "XK",
        beneficiary_country_code: "XK",
        beneficiary_bank_country_code: "XK",
        routing_code_value_1: "NLPRXKPR",
        beneficiary_account_number: "XK051212012345678906",
      },
      "",
    ],
    [
      "an IBAN of Kosovo with a wrong digit",
      swift,
      { beneficiary_bank_country_code: "XK", beneficiary_account_number: "XK061212012345678906" },
      "must be a valid IBAN of XK",
    ],
    ["a resident of a country that is none", swift, { beneficiary_country_code: "XX" }, "ISO 3166"],
    ["ACH without a residence", usd, { beneficiary_country_code: "" }, ""],
    ["INR", inr, {}, ""],
    ["INR by any type", inr, { routing_code_type_1: "IMPS" }, ""],
    [
      "INR with digits as text",
      inr,
      { beneficiary_contact_country_code: "+91", beneficiary_contact_number: "98200-12345" },
      "",
    ],
    [
      "a telephone number with letters",
      inr,
      { beneficiary_contact_number: "1-800-FLOWERS" },
      "must contain digits only",
    ],
    [
      "a telephone number with too many digits",
      inr,
      { beneficiary_contact_number: "(1234) 5678-9012-3456" },
      "must be at most 15 characters",
    ],
    ["INR abroad", inr, { destination_country: "US" }, "destination_country: must be IN"],
    ["INR by SWIFT", inr, { transfer_type: "SWIFT" }, "transfer_type: must be one of LOCAL"],
    ["a bad IFSC", inr, { routing_code_value_1: "HDFC1000001" }, "must be a valid IFSC"],
    ["another kind", inr, { currency_type: "Crypto" }, "currency_type: must be one of Fiat"],
    [
      "a bank account type",
      inr,
      { beneficiary_bank_account_type: "Checking" },
      "must be one of Business Checking, Business Savings, Personal Checking, Personal Savings",
    ],
  ])("%s", (_what, base, change, problem) => {
    const message = check({ ...base, ...change });
    if (problem === "") expect(message).toBe("");
    else expect(message).toContain(problem);
  });

  it.each(["address", "city", "postcode", "state", "country_code"])(
    "by SWIFT needs the bank's %s",
    (part) => {
      const { [`beneficiary_bank_${part}`]: _left, ...rest } = swift;
      expect(check(rest)).toBe(`beneficiary_bank_${part}: is required`);
    },
  );

  it.each(["iban", "address", "city", "postcode", "country_code"])("in EUR needs %s", (part) => {
    const name = part === "iban" ? part : `beneficiary_${part}`;
    expect(check({ ...eur, [name]: "" })).toBe(`${name}: is required`);
  });

  it("is not bound by the sets of other bodies' fields of the same name", () => {
    const allowed = { routing_code_value_1: ["ETHEREUM"] };
    expect(checkBody(fiatBeneficiary, usd, { now, allowed })).toHaveProperty("values");
  });

  it.each([
    ["usd", usd],
    ["swift", swift],
    ["inr", inr],
    ["eur", eur],
  ])("asks for no Latin name where the name or its type is unknown: %s", (_name, body) => {
    const { beneficiary_account_type: _type, beneficiary_name_latin: _latin, ...rest } = body;
    expect(check(rest)).toBe("beneficiary_account_type: is required");
    expect(check({ ...rest, beneficiary_account_type: "Person" })).toBe(
      "beneficiary_account_type: must be one of Individual, Corporate",
    );
    const other = { ...rest, beneficiary_account_type: "Individual", transfer_type: "" };
    const names = { beneficiary_first_name: "太郎", beneficiary_last_name: "山田" };
    expect(check({ ...other, ...names })).toBe("transfer_type: is required");
  });

  it("has the name fields of its account type and ignores the others", () => {
    const company = { ...usd, beneficiary_account_type: "Corporate", beneficiary_last_name: "\0" };
    const answer = checkBody(fiatBeneficiary, company, { now });
    expect(answer).toHaveProperty("values.beneficiary_name");
    expect(answer).not.toHaveProperty("values.beneficiary_last_name");
  });
});
