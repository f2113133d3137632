import { expect, test } from "vitest";
import { report, table } from "./report.ts";
import { exampleFigures as figures } from "./testing.ts";

function row(title: string, first: string, text = report(figures)): Record<string, string> {
  const lines = (text.split(title)[1] ?? "").split("\n").filter((line) => line.startsWith("|"));
  const cellsOf = (line = "") => line.split("|").map((each) => each.trim());
  const found = lines.slice(2).find((line) => cellsOf(line)[1] === first);
  const cells = cellsOf(found);
  return Object.fromEntries(cellsOf(lines[0]).map((head, at) => [head, cells[at] ?? ""]));
}

test("begins with the conditions, and with many merchants with history", () => {
  const text = report(figures);
  const [, engine = "", headline = ""] = text.split("\n\n");
  expect(text).toMatch(/^Commit 0123456789.* LOG_LEVEL=info\./);
  expect(engine).toBe("The database is an example.");
  expect(headline).toContain("200 merchants, 2,000 payouts each before the run");
  expect(headline).toContain("2 ms of CPU, 2.5 × the naive program's, and 1.1 ms of work at rest");
  expect(headline).toContain("12,345 bytes of journal");
});

test("shows the speed of each scenario, answers with 503, and which did not keep up", () => {
  expect(row("and one at a time", "merchants")).toMatchObject({
    ...{ per_s: "90", p50_ms: "10", p99_ms: "20", "one_at_a_time p50_ms": "4" },
    ...{ "webhook p99_ms": "60", unavailable: "3", kept_up: "yes" },
  });
  const quote = { "webhook p99_ms": "–", kept_up: "NO" };
  expect(row("and one at a time", "quote")).toMatchObject(quote);
});

test("shows the platform's cost beside its work at rest and the naive program's", () => {
  expect(row("Cost of a request", "quote")).toMatchObject({
    ...{ cpu_us_total: "2,000", rest_cpu_us: "1,100", naive_cpu_ratio: "2.5" },
    ...{ "naive per_s": "900", naive_ratio: "0.1", mongo_ops_total: "7" },
    ...{ document_writes: "3.5", journal_bytes: "12,345" },
  });
  const cpu = { "cpu_us gateway": "1,500", "cpu_us broker": "–", "cpu_us load": "700" };
  expect(row("by process", "quote")).toMatchObject(cpu);
  expect(report(figures)).toContain("At rest: 42 commands per second");
  expect(report(figures)).toContain("At rest with history: 43 commands per second");
  expect(report(figures)).toContain("gateway 1.2 %, broker –");
});

test("shows which fixed rate was too much", () => {
  const first = { per_s: "9.8", "webhook p99_ms": "60", cpu_us_total: "2,000", kept_up: "yes" };
  expect(row("fixed rates", "10")).toMatchObject(first);
  expect(row("fixed rates", "25")).toMatchObject({ per_s: "12", kept_up: "NO" });
});

test("shows the ledger's step alone, the hot account and the backlog", () => {
  const ledger = { clients: "32", "cpu_us ledger": "800", cpu_us_total: "2,000" };
  expect(row("step alone", "")).toMatchObject(ledger);
  expect(row("one account and from many", "")).toMatchObject({ ratio: "0.9", ratio_min: "0.8" });
  const backlog = { drained_per_s: "740", "beside p99_ms": "120", lost: "0", duplicates: "1" };
  expect(row("A backlog", "")).toMatchObject(backlog);
});

test("shows the steps of a batch", () => {
  const steps = { lines: "10,000", executed: "9,000", execute_s: "200", "peak_mib gateway": "150" };
  expect(row("One batch", "")).toMatchObject(steps);
  expect(row("commands of that batch", "")).toMatchObject({ "mongo_ops execute": "80,000" });
});

test("shows what is not flat", () => {
  const list = { many: "200,000", few_p50_ms: "4", many_p50_ms: "5", ratio: "1.25" };
  expect(row("few payouts and with", "list")).toMatchObject({ ...list, is_flat: "yes" });
  expect(row("few payouts and with", "read")).toMatchObject({ is_flat: "NO" });
});

test("leaves out what was not measured", () => {
  const { machine, seconds_in_all, concurrency, money_conserved } = figures;
  const rest = { machine, seconds_in_all, concurrency, money_conserved };
  expect(report({ ...rest, scenarios: {}, flat: {} })).not.toContain("|");
});

test("lines up the columns of a Markdown table", () => {
  const rows = [
    ["a", "1,000"],
    ["longer", "2"],
  ];
  expect(table(["name", "n"], rows).split("\n")).toEqual([
    "| name   |     n |",
    "| ------ | ----: |",
    "| a      | 1,000 |",
    "| longer |     2 |",
  ]);
});
