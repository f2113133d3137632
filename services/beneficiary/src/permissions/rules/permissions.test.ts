import { expect, it } from "vitest";
import { mayCreate } from "./permissions.ts";

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
] as const)("a %s with %j: %s", (noun, permissions, refusal) => {
  const result = mayCreate(permissions, noun);
  expect("refused" in result ? result.refused : undefined).toBe(refusal);
});
