import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExactJson } from "./exact-json.ts";

describe("numbers", () => {
  test.each([
    ['{"source_amount":100.10}', { source_amount: "100.10" }],
    ['{"receiving_amount":0.012345678901234567}', { receiving_amount: "0.012345678901234567" }],
    ['{"available":9007199254740993}', { available: "9007199254740993" }],
    ['{"exchange_rate":0.9998,"held":0}', { exchange_rate: "0.9998", held: "0" }],
    ['{"amount":{"source_amount":"12.50"}}', { amount: { source_amount: "12.50" } }],
    ['{"total_count":12,"sequence":3}', { total_count: 12, sequence: 3 }],
    ['{"total_count":9007199254740993}', { total_count: "9007199254740993" }],
    ['{"not_known_yet":[1, 1.50]}', { not_known_yet: ["1", "1.50"] }],
  ])("%s", (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  test("keeps every digit of every decimal", () => {
    const decimal = fc.stringMatching(/^-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?$/);
    fc.assert(
      fc.property(decimal, (digits) => {
        expect(parseExactJson(`{"amount":${digits}}`)).toEqual({ amount: digits });
      }),
    );
  });
});

test("parses other values as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), (text) => {
      const asText = (_: string, value: unknown) =>
        typeof value === "number" || typeof value === "string" ? "text" : value;
      const exact = JSON.parse(JSON.stringify(parseExactJson(text)), asText);
      expect(exact).toEqual(JSON.parse(text, asText));
    }),
    { numRuns: 30 },
  );
});

test.each(["", "{", '{"a":1,"a":2}', '{"a":NaN}', "{'a':1}", "[1,]"])("refuses %j", (text) => {
  expect(() => parseExactJson(text)).toThrow();
});

test("__proto__ is an ordinary field", () => {
  const value = parseExactJson('{"__proto__":{"isAdmin":true}}') as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(["__proto__"]);
  expect(value.isAdmin).toBeUndefined();
});
