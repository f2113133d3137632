import { expect, it } from "vitest";
import { decimal, objectSchema, whole } from "./fields.ts";
import { decimalNames, withTextAmounts } from "./text-amounts.ts";

const item = objectSchema("A record.", { amount: decimal("Amount.", "1.00") });
const schema = objectSchema("A page.", {
  total_count: whole("How many.", 3),
  records: { schema: { type: "array", items: item } },
});

it("finds the decimals of a schema", () => {
  expect([...decimalNames(schema)]).toEqual(["amount"]);
});

it("writes them as strings of the same digits, and nothing else", () => {
  const body =
    '{"data":{"total_count":2,"records":[{"amount":10.00,"text":"1"},{"amount":123456789012345.01}]}}';
  expect(withTextAmounts(body, decimalNames(schema))).toBe(
    '{"data":{"total_count":2,"records":[{"amount":"10.00","text":"1"},{"amount":"123456789012345.01"}]}}',
  );
});
