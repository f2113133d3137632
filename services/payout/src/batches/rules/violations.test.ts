import { expect, it } from "vitest";
import { lineViolations, namedViolations } from "./violations.ts";

const lineOf = (field: string, problem: string, value: string, referenceId = "") => ({
  ...{ referenceId, values: { [field]: value }, problems: [{ field, problem }] },
});
const account = "must be one of your accounts";

it("reports the same wrong value once, with all its lines", () => {
  const lines = [
    lineOf("account_id", account, "acc_x", "salary-1"),
    { referenceId: "salary-2", values: {}, problems: [] },
    lineOf("account_id", account, "acc_x", "salary-3"),
    lineOf("account_id", account, "acc_y", "salary-4"),
  ];
  expect(lineViolations(lines, [2, 3, 5, 6])).toEqual([
    {
      field: "lines[0].account_id",
      problem: account,
      lines: { numbers: [1, 3], rows: [2, 5], count: 2, referenceId: "salary-1" },
    },
    {
      field: "lines[3].account_id",
      problem: account,
      lines: { numbers: [4], rows: [6], count: 1, referenceId: "salary-4" },
    },
  ]);
});

it("has no rows for a JSON body, and names a whole line without a field", () => {
  expect(lineViolations([lineOf("", "must be an object", "")], [])).toEqual([
    {
      field: "lines[0]",
      problem: "must be an object",
      lines: { numbers: [1], rows: [], count: 1, referenceId: "" },
    },
  ]);
});

it("names the first hundred lines of a mistake, and counts all", () => {
  const lines = Array.from({ length: 101 }, () => lineOf("account_id", account, "acc_x"));
  const [violation] = lineViolations(lines, []);
  expect(violation?.lines).toMatchObject({ count: 101 });
  expect(violation?.lines?.numbers).toHaveLength(100);
});

it.each([
  [100, 100, undefined],
  [101, 101, "has 1 more problems"],
])("of %i violations %i are shown", (count, shown, more) => {
  const lines = Array.from({ length: count }, (_each, at) => lineOf("a", "b", String(at)));
  const named = namedViolations(lineViolations(lines, []));
  expect(named).toHaveLength(shown);
  expect(named.at(-1)?.problem).toBe(more ?? "b");
});

it("shows each kind of mistake, even if another kind has hundreds", () => {
  const many = Array.from({ length: 150 }, (_each, at) => lineOf("a", "b", String(at)));
  const named = namedViolations(lineViolations([...many, lineOf("c", "d", "")], []));
  expect(named.map(({ field }) => field)).toContain("lines[150].c");
  expect(named.at(-1)).toEqual({ field: "lines", problem: "has 51 more problems" });
});
