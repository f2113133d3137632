import { expect, test } from "vitest";
import { report, table } from "./report.ts";
import { exampleFigures as figures } from "./testing.ts";

/** The cells of the first row of a table that begins with this cell. */
function row(table: string, first: string, text = report(figures)): string[] {
  const [, after = ""] = text.split(table);
  const line = after.split("\n").find((each) => new RegExp(`^\\| ${first} +\\|`).test(each));
  return (line ?? "")
    .split("|")
    .map((each) => each.trim())
    .slice(2, -1);
}

test("shows the speed of each scenario, and answers with 503", () => {
  expect(row("one at a time", "quote")).toEqual(["90", "10", "20", "4", "–", "3"]);
  expect(row("one at a time", "lifecycle")).toEqual(["90", "10", "20", "4", "60", "3"]);
});

test("shows the platform's cost beside the naive program's", () => {
  const cost = ["2,000", "2.5", "900", "0.1", "7", "3.5", "12,345"];
  expect(row("Cost of a request", "quote")).toEqual(cost);
  expect(row("by process", "quote")).toEqual(["1,500", "500", "–", "700"]);
  expect(report(figures)).toContain("42 commands per second");
  expect(report(figures)).toContain("gateway 1.2 %, broker –");
});

test("shows which fixed rate was too much", () => {
  expect(row("fixed rates", "10")).toEqual(["9.8", "10", "20", "30", "60", "3", "yes"]);
  expect(row("fixed rates", "25").at(-1)).toBe("NO");
});

test("shows what is not flat, and a hot account that is too slow", () => {
  expect(row("flat is within", "list")).toEqual(["4", "5", "1.25 ×", "flat"]);
  expect(row("flat is within", "read").at(-1)).toBe("NOT FLAT");
  expect(row("from one account", "execute")).toEqual(["90", "100", "0.9 ×", ""]);
  const hot_account = { one_per_s: 79, many_per_s: 100, accounts: 16, ratio: 0.79, ratio_min: 0.8 };
  expect(report({ ...figures, hot_account })).toMatch(/0\.79 × \| TOO LOW/);
});

test("shows the backlog of webhooks", () => {
  const latencies = ["740", "9", "80", "20", "120", "1.5"];
  expect(row("A backlog", "10000")).toEqual([...latencies, "0.5", "0", "1", "0"]);
});

test("leaves out what was not measured", () => {
  const { machine, seconds_in_all, concurrency, money_conserved, flat_within } = figures;
  const rest = { machine, seconds_in_all, concurrency, money_conserved, flat_within };
  expect(report({ ...rest, scenarios: {}, flat: {} })).not.toContain("|");
});

test("lines up the columns of a Markdown table", () => {
  expect(
    table(
      ["name", "n"],
      [
        ["a", "1,000"],
        ["longer", "2"],
      ],
    ),
  ).toBe(
    ["| name   |     n |", "| ------ | ----: |", "| a      | 1,000 |", "| longer |     2 |"].join(
      "\n",
    ),
  );
});
