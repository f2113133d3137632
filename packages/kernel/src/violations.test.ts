import fc from "fast-check";
import { expect, it } from "vitest";
import { violationsMessage } from "./refusal.ts";
import { readViolations, ruleOf, unknownField, violationRules } from "./violations.ts";

it.each([
  ["is required", "required"],
  ["needs an amount", "required"],
  ["must be a string", "type"],
  ["must be a string or a number", "type"],
  ["must be true or false", "type"],
  ["must be a JSON object", "type"],
  ["must be an array", "type"],
  ["must be an array of one or more of exhausted, cancelled", "choice"],
  ["must be one of pending, delivered", "choice"],
  ["must be of payout:read", "choice"],
  ["must be at most 64 characters", "length"],
  ["must be 1 to 255 printable characters", "length"],
  ["must have at most 20 entries", "length"],
  ["must nest at most 32 levels deep", "length"],
  ["must be a whole number from 1 to 100", "range"],
  ["must be greater than zero", "range"],
  ["must have at most 15 digits before the point", "range"],
  ["must have at most 2 decimals", "range"],
  ["must not be in the future", "range"],
  ["must not be before 1900-01-01", "range"],
  ["must cover the fees", "range"],
  ["must be a decimal number", "format"],
  ["must be a valid IBAN", "format"],
  ["must not contain control characters", "format"],
  ["must be US where transfer_type is LOCAL", "conflict"],
  ["was used with other content", "conflict"],
  ["must not be repeated", "repeated"],
  ["is not known here, did you mean limit?", "unknown"],
])("the rule of “%s” is %s", (problem, rule) => {
  expect(ruleOf(problem)).toBe(rule);
});

it("reads the fields of a message that names several", () => {
  const message =
    "purpose_code: must be an ISO 20022 purpose code: four capital letters, such as SUPP; " +
    "company_owner_details[0].documents.document_type: is required";
  expect(readViolations(message)).toEqual([
    {
      ...{ field: "purpose_code", rule: "format" },
      message: "must be an ISO 20022 purpose code: four capital letters, such as SUPP",
    },
    {
      ...{ field: "company_owner_details[0].documents.document_type", rule: "required" },
      message: "is required",
    },
  ]);
});

it.each(["This is not a well-formed HTTP request.", ""])("finds no field in “%s”", (message) => {
  expect(readViolations(message)).toEqual([]);
});

it("reads back whatever was named", () => {
  const field = fc.stringMatching(/^[a-z_]{1,12}(\.[a-z_]{1,8})?(\[\d\])?$/);
  const problem = fc.constantFrom("is required", "must be a string", "must be one of a, b");
  fc.assert(
    fc.property(fc.array(fc.record({ field, problem }), { minLength: 1 }), (violations) => {
      const read = readViolations(violationsMessage(violations));
      expect(read.map(({ field, message }) => ({ field, problem: message }))).toEqual(violations);
      for (const { rule } of read) expect(violationRules).toContain(rule);
    }),
  );
});

it("suggests the probable field", () => {
  expect(unknownField("limi", "limit").problem).toBe("is not known here, did you mean limit?");
  expect(unknownField("x", undefined).problem).toBe("is not known here");
});
