import type { Beneficiary } from "@disburse/sdk/gen/types.ts";
import { expect, test } from "vitest";
import { isFound, nameOf } from "./beneficiary.ts";

const person = {
  beneficiary_id: "ben_1",
  beneficiary_first_name: "Jane",
  beneficiary_last_name: "Doe",
  beneficiary_account_number: "*****6789",
} as Beneficiary;

test("returns a company's name, and both names of a person", () => {
  expect(nameOf(person)).toBe("Jane Doe");
  expect(nameOf({ ...person, beneficiary_name: "Acme" })).toBe("Acme");
});

test.each([
  ["", true],
  [" jane d", true],
  ["6789", true],
  ["BEN_1", true],
  ["john", false],
])("a search for %j finds it: %s", (search, found) => {
  expect(isFound(person, search)).toBe(found);
});
