import { isRefused } from "@disburse/kernel/refusal.ts";
import { expect, it } from "vitest";
import { readPreferences } from "./preferences.ts";

it.each([
  [{}, { isStrict: false, textAmounts: false }],
  [{ "disburse-strict": "true" }, { isStrict: true, textAmounts: false }],
  [
    { "disburse-strict": "false", "disburse-amounts": "number" },
    { isStrict: false, textAmounts: false },
  ],
  [{ "disburse-amounts": "string" }, { isStrict: false, textAmounts: true }],
])("%j are %j", (headers, preferences) => {
  expect(readPreferences(headers)).toEqual(preferences);
});

it.each([
  [{ "disburse-strict": "yes" }, "Disburse-Strict: must be one of false, true"],
  [{ "disburse-strict": "true, true" }, "Disburse-Strict: must be one of false, true"],
  [{ "disburse-amounts": "" }, "Disburse-Amounts: must be one of number, string"],
])("refuses %j", (headers, message) => {
  const refusal = readPreferences(headers);
  expect(isRefused(refusal) && refusal.detail).toBe(message);
});
