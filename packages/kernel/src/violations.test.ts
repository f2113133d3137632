import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { violationsMessage } from "./refusal.ts";
import {
  readViolations,
  ruleOf,
  shownName,
  unknownField,
  type ViolationRule,
  violationRules,
} from "./violations.ts";

/** Every kind of message that the services write. */
const problems: Readonly<Record<ViolationRule, readonly string[]>> = {
  required: [
    "is required",
    "is required for amount_from and amount_to",
    "is required over SWIFT, as the name is in another script",
    "is required in a postal address of DE",
    "are required",
    "needs an amount",
    "must have at least one of url, description, order, event_types, headers",
    "must be sent with url while a pending_url waits for its verification",
    "must be sent again with a url of another origin, because their values were set for the old one",
  ],
  type: [
    "must be a string",
    "must be a string or a number",
    "must be true or false",
    "must be an object",
    "must be a JSON object",
    "must be an array",
    "must be an object of at most 50 strings: keys of 1 to 40 letters, digits and _.:-, values of at most 500 characters",
  ],
  length: [
    "must be at most 64 characters",
    "must be at most 35 characters in Latin letters, not 36, over SWIFT",
    "must be at most 98 characters beside so long a state over SWIFT",
    "must be at most 255 characters, without control characters",
    "must be at most 20",
    "must be at most 65536 bytes",
    "must be 1 to 255 characters",
    "must be 1 to 255 printable characters",
    "must be 1 to 500 characters when a rail is paused",
    "must have 3 to 255 characters",
    "must have at most 20 entries",
    "must have at most 5 words",
    "must have at least one entry",
    "must have 1 to 20 entries",
    "must contain 1 to 100 ids",
    "can have at most 100 ids",
    "must nest at most 32 levels deep",
  ],
  range: [
    "must be a whole number from 1 to 100",
    "must be 1 to 100",
    "must be 0 or more",
    "must be between 1 and 100",
    "must be from 0 to 86400",
    "must be in the range from 0 to below 1",
    "must be greater than zero",
    "must be at least 100.10",
    "must be in the future",
    "must be in the past",
    "must be at most 366 days ahead",
    "must be at most 7 days ahead",
    "must be at most 91 days before `last_day`",
    "must be at most 93 days before to",
    "must be at most 30 days before until",
    "must be later, because the account has more than 100000 entries since then",
    "must be at most 1024 pixels wide and high",
    "must be within the networks of the key that creates it",
    "must have at most 15 digits before the point",
    "must have at most 2 decimals",
    "must not be in the future",
    "must not be negative",
    "must not be before 1900-01-01",
    "must not be after 2026-11-20T11:26:00.123Z, when the key that creates it expires",
    "must cover the fees",
    "would be too large",
    "would round to zero",
    "the balance would be too large",
    "all percentages together must be at most 100",
    "is before the account was opened",
  ],
  choice: [
    "must be an array of one or more of exhausted, cancelled",
    "must be one of pending, delivered",
    "must be one of your accounts",
    "must be of payout:read",
    "must be scheduled, awaiting_approval, rejected or cancelled",
    "must be viewer, maker, approver or admin",
    "must be a list of approvals, payouts",
    "must be IN",
    "must be open: the account is closed",
  ],
  format: [
    "must be a decimal number",
    "must be a valid IBAN",
    "must be an amount above zero in USD",
    "must be 1 to 64 of a-z, 0-9, _ and -",
    "must be 1 to 128 letters, digits and ._:-",
    "must be an array of 1 to 20 different scopes such as payout:read",
    "must be an ISO 8601 time such as 2026-11-20T11:26:00.123Z",
    "must be a valid date in the form yyyy-mm-dd",
    "must be a date (yyyy-mm-dd) that is not in the future",
    "must be an http or https URL",
    "must be in Latin letters",
    "must be in letters that banks carry",
    "must be one that a list returned",
    "must be a name, not a placeholder such as N/A",
    "must have a letter",
    "must have a letter or digit",
    "must contain digits only",
    "must not contain control characters",
    "must not contain more than 8 combining marks in a row",
    "must use port 443 or 8443",
    "is not valid JSON at line 1, column 2",
    "is the id of an account, not of a quote",
  ],
  unknown: [
    "is not known",
    "is not known: it is archived",
    "is not known here, did you mean limit?",
    "is not a known currency",
    "is not supported by this operation, so nothing was done",
    "must be a known currency",
    "must be known currencies",
  ],
  repeated: [
    "must not be repeated",
    "must not repeat a key",
    "must have names that differ in more than case",
  ],
  conflict: [
    "must be US where transfer_type is LOCAL",
    "must be equal to endpoint_id where both are sent",
    "must be after from",
    "must not be after `last_day` or today (UTC)",
    "must not be above count_day",
    "must not be below source_amount",
    "must not be below the quote's source_amount",
    "must be less than the paid amount",
    "must be the account's currency, USD",
    "must be the beneficiary's currency, INR",
    "must be in the payout's currency",
    "must be the same in all lines",
    "must be that of a line of the corrected batch",
    "is only allowed with queue_if_low_balance",
    "is a parameter for files: JSON has such fields in its body",
    "is not in any beneficiary form of this transfer type, network and account type",
    "is already registered",
    "is INR, but USD was submitted",
    "was used with other content",
    "was used with another sort or other filters than those of its list",
    "was corrected before: another line or batch pays this line",
    "does not match the proposal: read it again before you decide",
    "cannot be paid by its payment method: see the beneficiary's `unpayable_reason`",
    "camt.053 has no amounts of INR; take csv or pdf",
  ],
};

describe.each(violationRules)("the rule is %s", (rule) => {
  it.each(problems[rule])("%s", (problem) => {
    expect(ruleOf(problem)).toBe(rule);
  });
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

it("reads back a field with an encoded name", () => {
  const names = ["é", "a.b", "", "a; b: c", "x".repeat(99)].map(shownName);
  const message = violationsMessage(names.map((name) => unknownField(name, undefined)));
  expect(readViolations(message).map(({ field }) => field)).toEqual(names);
});

it("suggests the probable field", () => {
  expect(unknownField("limi", "limit").problem).toBe("is not known here, did you mean limit?");
  expect(unknownField("x", undefined).problem).toBe("is not known here");
});
