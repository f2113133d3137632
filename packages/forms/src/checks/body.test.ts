import { parseExactJson } from "@disburse/kernel/exact-json.ts";
import { type Violation, violationsMessage } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { cryptoBeneficiary } from "../bodies/crypto-beneficiary.ts";
import { depositor } from "../bodies/depositor.ts";
import { fiatBeneficiary } from "../bodies/fiat-beneficiary.ts";
import { requestForQuote } from "../bodies/transfer.ts";
import { createReplay, rotateSecret } from "../bodies/webhooks.ts";
import { exampleOf } from "../describe/examples.ts";
import type { BodyValues, PublicBody } from "../fields/field.ts";
import { custodyProviderCodes, custodyProviders } from "../values/custody-providers.ts";
import { networkCurrencies, networks } from "../values/networks.ts";
import { checkBody } from "./body.ts";
import { readBody } from "./read.ts";

const now = new Date("2026-11-20T11:26:00.123Z");

function check(body: PublicBody, values: BodyValues, unreadable: Violation[] = []): string {
  const answer = checkBody(body, values, { now, unreadable });
  return Array.isArray(answer) ? violationsMessage(answer) : "";
}

function example(body: PublicBody, at = 0): BodyValues {
  const form = body.forms[at];
  return form === undefined ? {} : exampleOf(form);
}

const person = example(cryptoBeneficiary);
const usd = example(fiatBeneficiary);
it("takes as many entries of a list as its form says", () => {
  const company = example(depositor, 2);
  const [owner] = company.company_owner_details as BodyValues[];
  const owners = (count: number) => ({
    ...company,
    company_owner_details: Array.from({ length: count }, () => ({ ...owner })),
  });
  expect(check(depositor, owners(20))).toBe("");
  expect(check(depositor, owners(21))).toBe("company_owner_details: must have at most 20 entries");
});

describe("a text", () => {
  it.each([
    ["beneficiary_name", "J".repeat(255), ""],
    ["beneficiary_name", "𝒥".repeat(255), ""],
    ["beneficiary_name", "J".repeat(256), "must be at most 255 characters"],
    ["beneficiary_name", `J${"\u0301".repeat(9)}x`, "must not contain more than 8 combining"],
    ["beneficiary_name", "a\r\nb", "must not contain control characters"],
    ["beneficiary_postcode", "123456789012", ""],
    ["beneficiary_postcode", "1234567890123", "must be at most 12 characters"],
    ["beneficiary_account_number", `0x${"a".repeat(127)}`, "must be at most 128 characters"],
    ["beneficiary_document_id", "12-3456789", ""],
    ["beneficiary_document_id", "a".repeat(64), ""],
    ["beneficiary_document_id", "a".repeat(65), "must be at most 64 characters"],
    ["beneficiary_document_id", "--", "must contain letters and digits"],
    ["beneficiary_country_code", "GB", ""],
    ["beneficiary_country_code", "gb", "must be an ISO 3166-1 alpha-2 country code"],
    ["beneficiary_country_code", "XX", "must be an ISO 3166-1 alpha-2 country code"],
    ["beneficiary_country_code", "USA", "must be an ISO 3166-1 alpha-2 country code"],
    ["beneficiary_country_code", "UK", "must be an ISO 3166-1 alpha-2 country code"],
    ["beneficiary_date_of_birth", "2026-11-20", ""],
    ["beneficiary_date_of_birth", "1900-01-01", ""],
    ["beneficiary_date_of_birth", "1899-12-31", "must not be before 1900-01-01"],
    ["beneficiary_date_of_birth", "0001-01-01", "must not be before 1900-01-01"],
    ["beneficiary_date_of_birth", "2024-02-29", ""],
    ["beneficiary_date_of_birth", "2026-11-21", "must not be in the future"],
    ["beneficiary_date_of_birth", "2023-02-30", "must be a valid date in the form yyyy-mm-dd"],
    ["beneficiary_date_of_birth", "12-04-1985", "must be a valid date in the form yyyy-mm-dd"],
    ["beneficiary_date_of_birth", "1985-04-12T00:00", "must be a valid date in the form"],
    ["beneficiary_email", "jane.doe+a@sub.example.co", ""],
    ["beneficiary_email", "jane@localhost", "must be a valid email address"],
    ["beneficiary_email", "jane", "must be a valid email address"],
    ["beneficiary_email", "a@b@example.com", "must be a valid email address"],
    ["beneficiary_email", "jane doe@example.com", "must be a valid email address"],
    ["beneficiary_email", `${"a".repeat(64)}@${"b".repeat(190)}.com`, "must be at most 254"],
    ["beneficiary_document_type", "BUSINESS_IDENTIFICATION_NUMBER", "must be one of NATIONAL_ID"],
    ["routing_code_type_1", "SWIFT", "must be one of NETWORK"],
  ])("%s %j", (field, text, problem) => {
    const message = check(cryptoBeneficiary, { ...person, [field]: text });
    if (problem === "") expect(message).toBe("");
    else expect(message).toContain(`${field}: ${problem}`);
  });

  it("is trimmed and composed", () => {
    const answer = checkBody(
      cryptoBeneficiary,
      { ...person, beneficiary_name: " Jose\u0301 ", beneficiary_account_type: " Individual" },
      { now },
    );
    expect(answer).toHaveProperty("values.beneficiary_name", "José");
  });
});

it.each([
  [0, ""],
  [604_800, ""],
  [-1, "overlap_seconds: must be a whole number from 0 to 604800"],
  [604_801, "overlap_seconds: must be a whole number from 0 to 604800"],
  [1.5, "overlap_seconds: must be a whole number from 0 to 604800"],
])("a whole number %s", (overlap_seconds, problem) => {
  expect(check(rotateSecret, { overlap_seconds })).toBe(problem);
});

describe("a crypto beneficiary", () => {
  it("takes exactly the currencies of each network", () => {
    const all = new Set(Object.values(networkCurrencies).flat());
    for (const network of networks) {
      for (const currency of all) {
        const message = check(cryptoBeneficiary, {
          ...person,
          routing_code_value_1: network,
          destination_currency: currency,
        });
        const fits = networkCurrencies[network].includes(currency);
        const allowed = networkCurrencies[network].join(", ");
        const problem = `destination_currency: must be one of ${allowed} on ${network}`;
        expect(message).toBe(fits ? "" : problem);
      }
    }
  });

  it("may leave the currency out on SOLANA only, where it is USDC_SOL", () => {
    const { destination_currency: _left, ...rest } = person;
    const on = (network: string) => ({ ...rest, routing_code_value_1: network });
    expect(checkBody(cryptoBeneficiary, on("SOLANA"), { now })).toHaveProperty(
      "values.destination_currency",
      "USDC_SOL",
    );
    for (const network of networks.filter((each) => each !== "SOLANA")) {
      expect(check(cryptoBeneficiary, on(network))).toBe("destination_currency: is required");
    }
  });

  it("drops the other form's fields", () => {
    const company = { ...example(cryptoBeneficiary, 1), beneficiary_date_of_birth: "never" };
    const answer = checkBody(cryptoBeneficiary, company, { now });
    expect(answer).not.toHaveProperty("values.beneficiary_date_of_birth");
  });

  it("takes what the deployment allows", () => {
    const allowed = {
      routing_code_value_1: networks.filter((network) => network !== "BNB"),
      beneficiary_wallet_custody_provider: custodyProviderCodes(["ACME_VAULT"]),
    };
    const body = (values: BodyValues) =>
      checkBody(cryptoBeneficiary, { ...person, ...values }, { now, allowed });
    expect(body({ routing_code_value_1: "BNB" })).toEqual([
      {
        field: "routing_code_value_1",
        problem: "must be one of ETHEREUM, SOLANA, POL, BTC, TRX",
      },
    ]);
    expect(body({ beneficiary_wallet_custody_provider: "ACME_VAULT" })).toHaveProperty("values");
    expect(body({ beneficiary_wallet_custody_provider: "OTHERS" })).toHaveProperty("values");
  });

  it("knows 45 custody providers and OTHERS", () => {
    expect(Object.keys(custodyProviders)).toHaveLength(45);
    expect(new Set(custodyProviderCodes(["KRAKEN", "OTHERS"])).size).toBe(46);
    expect(Object.keys(custodyProviders).every((code) => /^[A-Z0-9_]+$/.test(code))).toBe(true);
  });
});

describe("the form that a body selects", () => {
  it("is reported as missing together with the fields of all forms", () => {
    const names = (body: PublicBody, values: BodyValues) => {
      const answer = checkBody(body, values, { now });
      return Array.isArray(answer) ? answer.map((each) => each.field) : [];
    };
    expect(check(depositor, {})).toBe(
      "depositor_relation: is required; depositor_type: is required",
    );
    expect(check(depositor, { depositor_relation: "external", depositor_type: "Other" })).toBe(
      "depositor_type: must be one of Individual, Corporate",
    );
    expect(check(fiatBeneficiary, { ...usd, destination_currency: "GBP" })).toBe(
      "destination_currency: must be one of USD, USDC, INR, EUR",
    );
    const bare = names(fiatBeneficiary, {});
    expect(bare).toContain("destination_currency");
    expect(bare).toContain("beneficiary_city");
    expect(bare).not.toContain("beneficiary_alias");
    const crypto = names(cryptoBeneficiary, { beneficiary_account_type: "Company" });
    expect(crypto[0]).toBe("beneficiary_name");
    expect(crypto).toContain("beneficiary_account_type");
    expect(crypto).not.toContain("beneficiary_date_of_birth");
  });

  it("is the merchant's own business by the relation alone", () => {
    const own = example(depositor);
    expect(check(depositor, { ...own, depositor_type: "Individual" })).toBe("");
    expect(check(depositor, { depositor_relation: "business" })).toBe(
      "depositor_wallet_address: is required; depositor_business_id: is required",
    );
  });
});

describe("the merchant's own id of its business", () => {
  const own = example(depositor);

  it.each([
    "biz_123",
    "BUS-0001",
    "#1 / ä+b@c.example (main)",
    "公司-7 🏦",
    "x".repeat(64),
    "🏦".repeat(64),
  ])("is any printable text of up to 64 characters: %s", (id) => {
    expect(check(depositor, { ...own, depositor_business_id: id })).toBe("");
  });

  it.each([
    ["", "is required"],
    ["   ", "is required"],
    ["x".repeat(65), "must be at most 64 characters"],
    ["🏦".repeat(65), "must be at most 64 characters"],
    ["biz\u0000123", "must not contain control characters"],
    ["biz\n123", "must not contain control characters"],
    ["biz\u0085123", "must not contain control characters"],
    ["biz\u202e123", "must not contain bidirectional overrides"],
  ])("is refused as %j: %s", (id, problem) => {
    expect(check(depositor, { ...own, depositor_business_id: id })).toBe(
      `depositor_business_id: ${problem}`,
    );
  });
});

describe("an unreadable field", () => {
  it("is reported in the form's order, and not as missing", () => {
    const json = `{"depositor_relation":"external","depositor_type":"Corporate",
      "depositor_business_details":{"name":{"$gt":""}},"company_owner_details":[1],
      "depositor_details":7}`;
    const { values, unreadable } = readBody(depositor, parseExactJson(json));
    expect(check(depositor, values, unreadable)).toBe(
      [
        "depositor_business_details.business_identification_number: is required",
        "depositor_business_details.name: must be a string",
        "depositor_business_details.business_type: is required",
        "depositor_business_details.date_of_incorporation: is required",
        "depositor_business_details.address: is required",
        "company_owner_details[0]: must be an object",
        "depositor_wallet_address: is required",
      ].join("; "),
    );
  });

  it("is the only problem of a body that is not an object", () => {
    const { values, unreadable } = readBody(depositor, []);
    expect(check(depositor, values, unreadable)).toBe("body: must be a JSON object");
  });
});

describe("a request for a quote", () => {
  const { receiving_amount: _left, ...request } = example(requestForQuote);

  it.each([
    ["100.10", ""],
    ["1e2", ""],
    ["0.000000000000000001", ""],
    ["999999999999999.99", ""],
    ["1000000000000000", "must have at most 15 digits before the point"],
    ["9007199254740993", "must have at most 15 digits before the point"],
    ["0", "must be greater than zero"],
    ["-0", "must be greater than zero"],
    ["-1", "must be greater than zero"],
    ["1e400", "must be a decimal number"],
    ["NaN", "must be a decimal number"],
    ["1,5", "must be a decimal number"],
  ])("of %s", (amount, problem) => {
    const message = check(requestForQuote, { ...request, source_amount: amount });
    expect(message).toBe(problem && `source_amount: ${problem}`);
  });

  it("requires one of the amounts and ignores the second", () => {
    const { source_amount: _amount, ...neither } = request;
    expect(check(requestForQuote, neither)).toBe("source_amount: is required");
    expect(check(requestForQuote, { ...neither, receiving_amount: "5" })).toBe("");
    expect(check(requestForQuote, { ...neither, receiving_amount: "0" })).toBe(
      "receiving_amount: must be greater than zero",
    );
    const both = parseExactJson('{"source_amount":1,"receiving_amount":{}}');
    const { values, unreadable } = readBody(requestForQuote, both);
    const answer = checkBody(requestForQuote, { ...neither, ...values }, { now, unreadable });
    expect(answer).toHaveProperty("values.source_amount", "1");
    expect(answer).not.toHaveProperty("values.receiving_amount");
  });

  it("is refused with an empty source amount, whatever the receiving amount is", () => {
    const { source_amount: _amount, ...neither } = request;
    const empty = parseExactJson('{"source_amount":"","receiving_amount":"10"}');
    const { values, unreadable } = readBody(requestForQuote, empty);
    expect(check(requestForQuote, { ...neither, ...values }, unreadable)).toBe(
      "source_amount: must be a decimal number",
    );
  });
});

describe("a replay", () => {
  const sound = example(createReplay);

  it.each([
    ["2026-11-20", ""],
    ["2026-11-20T11:26:00Z", ""],
    ["2026-11-20T11:26:00.123+05:30", ""],
    ["2999-01-01", ""],
    ["2026-11-20T11:26:00", "must be an ISO 8601 time"],
    ["2026-11-20T24:00:00Z", "must be an ISO 8601 time"],
    ["2026-02-30T11:26:00Z", "must be an ISO 8601 time"],
    ["2026-11-20T11:26:00.1234567891Z", "must be an ISO 8601 time"],
    ["yesterday", "must be an ISO 8601 time"],
  ])("since %s", (since, problem) => {
    const message = check(createReplay, { ...sound, since });
    expect(message).toContain(problem && `since: ${problem}`);
    expect(message === "").toBe(problem === "");
  });

  it("accepts values of the set, each once, and no others", () => {
    const states = (...words: string[]) => ({ ...sound, states: words });
    const taken = checkBody(createReplay, states("exhausted", " exhausted"), { now });
    expect(taken).toHaveProperty("values.states", ["exhausted"]);
    const both = checkBody(createReplay, states("exhausted", "delivered"), { now });
    expect(both).toHaveProperty("values.states", ["exhausted", "delivered"]);
    expect(checkBody(createReplay, states(), { now })).not.toHaveProperty("values.states");
    for (const word of ["cancelled", "", "Exhausted"]) {
      expect(check(createReplay, states("exhausted", word))).toBe(
        "states: must be an array of one or more of exhausted, delivered, pending",
      );
    }
  });
});
