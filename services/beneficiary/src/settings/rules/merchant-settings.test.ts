import { expect, it } from "vitest";
import { mayCreate } from "./merchant-settings.ts";

const may = (mayCreateBeneficiaries: boolean, mayCreateDepositors: boolean) => ({
  merchantId: "mer_a",
  mayCreateBeneficiaries,
  mayCreateDepositors,
});

it.each([
  ["beneficiary", undefined, "RECORD_NOT_FOUND"],
  ["depositor", undefined, "RECORD_NOT_FOUND"],
  ["beneficiary", may(false, true), "BENEFICIARY_CREATION_NOT_ALLOWED"],
  ["depositor", may(true, false), "BENEFICIARY_CREATION_NOT_ALLOWED"],
  ["beneficiary", may(true, false), undefined],
  ["depositor", may(false, true), undefined],
] as const)("a %s with %j: %s", (noun, settings, refusal) => {
  const result = mayCreate(settings, noun);
  expect("refused" in result ? result.refused : undefined).toBe(refusal);
});
