import { expect, test } from "vitest";
import { recordRows } from "./record.ts";

test("flattens a record for reading", () => {
  const record = {
    id: "dep_1",
    depositor_relation: "external",
    depositor_wallet_address: "",
    company_owner_details: [{ person_details: { firstname: "Jane" } }],
  };
  expect(recordRows(record, ["id"])).toEqual([
    ["Relationship", "external"],
    ["Owners 1, person, first name", "Jane"],
  ]);
});
