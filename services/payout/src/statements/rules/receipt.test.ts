import { describe, expect, it } from "vitest";
import { payoutFrom } from "../../payouts/rules/payout.ts";
import { order, quote } from "../../payouts/test-documents.ts";
import { canonicalJson, receiptOf } from "./receipt.ts";

describe("canonical JSON (RFC 8785)", () => {
  it.each([
    [{ b: "1", a: "2" }, '{"a":"2","b":"1"}'],
    [{ a: [{ d: "", c: "x" }] }, '{"a":[{"c":"x","d":""}]}'],
    [{ a: '€\u001f\n"\\/' }, '{"a":"€\\u001f\\n\\"\\\\/"}'],
    [[], "[]"],
  ])("%j is %s", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});

it("names the beneficiary in Latin letters too, if its merchant gave them", () => {
  const at = new Date("2026-11-20T11:26:00.000Z");
  const receipt = (beneficiary: typeof quote.beneficiary) =>
    receiptOf(payoutFrom({ ...quote, beneficiary }, order), [], at);
  const named = receipt({ ...quote.beneficiary, name: "山田", nameLatin: "Yamada" });
  expect(named).toMatchObject({ beneficiary_name: "山田", beneficiary_name_latin: "Yamada" });
  expect(receipt(quote.beneficiary)).not.toHaveProperty("beneficiary_name_latin");
});
