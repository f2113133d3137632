import { expect, it } from "vitest";
import { everyScope } from "../../keys/rules/key.ts";
import { memberRoles, scopesOf } from "./role.ts";

it.each([
  ["viewer", "payout:read", true],
  ["viewer", "webhook:read", true],
  ["viewer", "payout:write", false],
  ["maker", "account:read", true],
  ["maker", "beneficiary:write", true],
  ["maker", "depositor:write", true],
  ["maker", "quote:write", true],
  ["maker", "payout:write", true],
  ["maker", "webhook:write", false],
  ["maker", "account:write", false],
  ["approver", "payout:read", true],
  ["approver", "payout:write", false],
  ["approver", "beneficiary:write", false],
  ["admin", "webhook:write", true],
] as const)("a %s has %s: %s", (role, scope, has) => {
  expect(scopesOf(role).has(scope)).toBe(has);
});

it("every role reads everything, makers approve nothing, and an admin may do everything", () => {
  const reads = everyScope.filter((scope) => scope.endsWith(":read"));
  for (const role of memberRoles)
    expect([...scopesOf(role)]).toEqual(expect.arrayContaining(reads));
  const approvals = (role: "maker" | "viewer") =>
    [...scopesOf(role)].filter((scope) => scope.endsWith(":approve"));
  expect([...approvals("maker"), ...approvals("viewer")]).toEqual([]);
  const writes = [...scopesOf("approver")].filter((scope) => scope.endsWith(":write"));
  expect(writes).toEqual([]);
  expect(scopesOf("admin")).toEqual(new Set(everyScope));
});
