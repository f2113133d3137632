import { type JsonObject, parseExactJson } from "@disburse/kernel/exact-json.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { depositor } from "../bodies/depositor.ts";
import { fiatBeneficiary } from "../bodies/fiat-beneficiary.ts";
import { exampleOf } from "../describe/examples.ts";
import type { PublicBody, TextField } from "../fields/field.ts";
import { publicBodies } from "../test-bodies.ts";
import { checkBody } from "./body.ts";
import { normalBody, normalText } from "./normal.ts";
import { readBody } from "./read.ts";

const now = new Date("2026-11-20T00:00:00Z");
const fieldOf = (of: "iban" | "telephone" | "wallet") => ({ normal: { of } }) as TextField;
const json = (value: unknown) => parseExactJson(JSON.stringify(value)) as JsonObject;

describe("an IBAN", () => {
  it.each([
    ["DE89 3704 0044 0532 0130 00", "DE89370400440532013000"],
    ["de89370400440532013000", "DE89370400440532013000"],
    [" gb82\u00a0west 1234 5698 7654 32 ", "GB82WEST12345698765432"],
    // With a wrong checksum the spaces are removed, but the letter case stays.
    ["de88 3704 0044 0532 0130 00", "de88370400440532013000"],
    ["IBAN DE89 3704 0044 0532 0130 00", "DE89370400440532013000"],
    ["iban: de89370400440532013000", "DE89370400440532013000"],
    ["IBAN 1234", "IBAN 1234"],
    ["1234 5678", "1234 5678"],
    ["ab12cdefghijklmno", "ab12cdefghijklmno"],
    ["DE89-3704-0044-0532-0130-00", "DE89-3704-0044-0532-0130-00"],
  ])("%j is %j", (sent, stored) => {
    expect(normalText(fieldOf("iban"), sent)).toBe(stored);
  });

  it("is the same, however it is printed", () => {
    const iban = "FR1420041010050500013M02606";
    const printed = fc
      .array(fc.tuple(fc.boolean(), fc.constantFrom("", "", " ", "\u202f")), {
        minLength: iban.length,
        maxLength: iban.length,
      })
      .map((each) =>
        each.map(([isLower, blank], at) => {
          const letter = iban.charAt(at);
          return `${isLower ? letter.toLowerCase() : letter}${blank}`;
        }),
      );
    fc.assert(
      fc.property(printed, (parts) => {
        expect(normalText(fieldOf("iban"), parts.join(""))).toBe(iban);
      }),
    );
  });
});

it.each([
  ["+1 (212) 555-0123", "12125550123"],
  ["(+91) 98200 12345", "919820012345"],
  ["212‑555–0123", "2125550123"],
  ["+44 (0)20 7946 0958", "442079460958"],
  ["(0)20 7946 0958", "2079460958"],
  ["(020) 7946 0958", "02079460958"],
  ["(0)", "0"],
  ["2125550123", "2125550123"],
  ["+", "+"],
  ["212.555.0123", "212.555.0123"],
  ["212 555 0123 ext. 4", "212 555 0123 ext. 4"],
  ["1+2", "1+2"],
  ["-1", "-1"],
  ["+ 44 20 7946 0958", "442079460958"],
  ["()", "()"],
])("the telephone number %j is %j", (sent, stored) => {
  expect(normalText(fieldOf("telephone"), sent)).toBe(stored);
});

it.each([
  ["0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
  ["BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"],
  ["0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
])("the wallet %j is %j", (sent, stored) => {
  expect(normalText(fieldOf("wallet"), sent)).toBe(stored);
});

describe("a body", () => {
  const checked = (body: PublicBody, sent: JsonObject) =>
    checkBody(body, readBody(body, sent).values, { now });

  it.each(
    publicBodies.flatMap((body) =>
      body.forms.map((form) => [form.name, body, exampleOf(form)] as const),
    ),
  )(
    "of %s gets the same result before and after, and changes only once",
    (_name, body, example) => {
      const once = normalBody(body, json(example));
      expect(normalBody(body, once)).toEqual(once);
      expect(checked(body, once)).toEqual(checked(body, json(example)));
    },
  );

  it("is in normal form at every depth, except for unknown fields", () => {
    const sent = {
      depositor_relation: " external ",
      depositor_details: { person_details: { firstname: " Jose\u0301" }, own: " x " },
      company_owner_details: [{ person_details: { lastname: "Doe " } }, "none"],
      own: { text: " x " },
      depositor_wallet_address: null,
    };
    expect(normalBody(depositor, json(sent))).toEqual({
      depositor_relation: "external",
      depositor_details: { person_details: { firstname: "José" }, own: " x " },
      company_owner_details: [{ person_details: { lastname: "Doe" } }, "none"],
      own: { text: " x " },
      depositor_wallet_address: null,
    });
    const metadata = { metadata: { " key ": " value " } };
    expect(normalBody(fiatBeneficiary, json(metadata))).toEqual({
      metadata: { " key ": "value" },
    });
    expect(normalBody(undefined, json(sent))).toEqual(sent);
  });
});
