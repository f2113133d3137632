import { expect, it } from "vitest";
import { privilegeFindings } from "./database-privileges.ts";

const readWrite = ["find", "insert", "update", "remove", "createCollection", "createIndex"];
const own = { resource: { db: "disburse_quote" }, actions: readWrite };

it("accepts a user of the service's own database", () => {
  expect(privilegeFindings("disburse_quote", [own])).toEqual([
    { part: "database", state: "ok", text: "the user has its privileges" },
  ]);
});

it("says nothing where the database has no users", () => {
  expect(privilegeFindings("disburse_quote", undefined)).toEqual([]);
});

it("names the privileges that are missing", () => {
  const reader = { ...own, actions: ["find", "insert"] };
  expect(privilegeFindings("disburse_quote", [reader])).toEqual([
    {
      part: "database",
      state: "failed",
      text: "the user lacks privileges: update, remove, createCollection, createIndex",
    },
  ]);
});

it.each([
  [{ db: "disburse_payout" }, "disburse_payout"],
  [{ anyResource: true }, "every database"],
  [{ db: "" }, "every database"],
  // The role `root` has it: time series of every database.
  [{ system_buckets: "" }, "every database"],
])("warns of a user of %j too", (resource, named) => {
  const [finding] = privilegeFindings("disburse_quote", [own, { resource, actions: ["find"] }]);
  expect(finding).toEqual({
    part: "database",
    state: "warning",
    text: `the user may also use ${named}`,
  });
});
