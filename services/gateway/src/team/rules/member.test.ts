import { newId } from "@disburse/kernel/id.ts";
import { expect, it } from "vitest";
import { comparedEmail, memberOrder } from "./member.ts";

const good = {
  merchantId: newId("merchant"),
  email: "Mia@Acme.example ",
  name: " Mia Maker ",
  role: "maker",
} as const;

it("is taken with its email as it is compared", () => {
  const taken = { ...good, email: "mia@acme.example", name: "Mia Maker" };
  expect(memberOrder(good)).toEqual(taken);
  expect(comparedEmail("MIA@ACME.example")).toBe(taken.email);
});

it.each([
  ["merchant_id", { merchantId: "mer_1" }],
  ["email", { email: "mia" }],
  ["email", { email: "mia@localhost" }],
  ["email", { email: "a b@acme.example" }],
  ["email", { email: "a@b@acme.example" }],
  ["email", { email: "a@acme.example,b" }],
  ["email", { email: "a@acme,b.example" }],
  ["email", { email: `${"a".repeat(65)}@acme.example` }],
  ["email", { email: `a@${"b".repeat(250)}.example` }],
  ["name", { name: " " }],
  ["name", { name: "m".repeat(101) }],
  ["name", { name: "Mia\u202eMaker" }],
  ["role", { role: undefined }],
])("is refused by its %s: %j", (field, change) => {
  expect(memberOrder({ ...good, ...change })).toMatchObject({
    ...{ refused: "INVALID_REQUEST", detail: expect.stringMatching(new RegExp(`^${field}: must`)) },
  });
});

it.each([...',;:<>"()[]\\'])("has no %s in its email", (sign) => {
  const refused = memberOrder({ ...good, email: `a${sign}b@acme.example` });
  expect(refused).toMatchObject({ detail: expect.stringMatching(/^email: must/) });
});

it("may have a name of 100 characters", () => {
  expect(memberOrder({ ...good, name: "é".repeat(100) })).toMatchObject({ name: "é".repeat(100) });
});
