import type { BenchFigures, ProcessFigures, ScenarioFigures } from "./figures.ts";
import { rounded } from "./measures/percentile.ts";
import { platformCpu } from "./measures/scenario.ts";

type Named<T> = readonly [string, T];
type Cell = string | number | null | undefined;

const times = (ratio: number): string => `${ratio} ×`;
const cell = (value: Cell): string => String(value ?? "–");

/** All figures as Markdown. */
export function report(figures: BenchFigures): string {
  const { machine } = figures;
  const scenarios = Object.entries(figures.scenarios);
  return [
    `Commit ${machine.commit}, ${machine.date}: ${machine.cpu}, ${machine.memory_gb} GB, ` +
      `${machine.os}, Node ${machine.node}, MongoDB ${machine.mongodb}. ` +
      `Load average before the run: ${machine.load_before}.`,
    ...(scenarios.length === 0 ? [] : scenarioTables(figures, scenarios)),
    ...otherTables(figures),
    `${figures.seconds_in_all} s in all`,
  ].join("\n\n");
}

function scenarioTables(
  { concurrency, at_rest }: BenchFigures,
  scenarios: readonly Named<ScenarioFigures>[],
): string[] {
  const rate = (each: ScenarioFigures) => [each.per_s, each.p50_ms, each.p99_ms];
  const speed = scenarios.map(([name, each]) => {
    const alone = each.one_at_a_time.p50_ms;
    return [name, ...rate(each), alone, each.webhook?.p99_ms, each.unavailable].map(cell);
  });
  const cost = scenarios.map(([name, each]) => [
    name,
    count(platformCpu(each.cpu_us)),
    cell(each.naive_cpu_ratio),
    cell(each.naive.per_s),
    cell(each.naive_ratio),
    cell(each.mongo_ops_total),
    cell(each.document_writes),
    count(each.journal_bytes),
  ]);
  const speedHead = ["per s", "p50 ms", "p99 ms", "alone p50 ms", "webhook p99 ms", "503"];
  const costHead = ["CPU µs", "× naive", "naive per s", "share", "commands", "writes", "journal B"];
  const commands = [...new Set(scenarios.flatMap(([, { mongo_ops }]) => Object.keys(mongo_ops)))];
  const kinds = scenarios.map(([name, { mongo_ops }]) => {
    return [name, ...commands.map((each) => cell(mongo_ops[each] ?? 0))];
  });
  const cpu = scenarios.map(([name, { cpu_us }]) => [name, cpu_us] as const);
  return [
    `${concurrency} requests at a time; alone: one at a time`,
    table(["scenario", ...speedHead], speed),
    "Cost of a request, and the naive program in the same run",
    table(["scenario", ...costHead], cost),
    "CPU time of a request by process, in µs",
    processTable("scenario", cpu),
    "MongoDB commands of a request",
    table(["scenario", ...commands], kinds),
    ...(at_rest === undefined
      ? []
      : [
          `At rest, not in the figures above: ${at_rest.mongo_ops} commands per second, and of one ` +
            `processor ${Object.entries(at_rest.cpu_share).map(shareOf).join(", ")}`,
        ]),
    ...scenarios.flatMap(([, { fixed_rates = [] }]) => rateTable(fixed_rates)),
  ];
}

const shareOf = ([name, share]: Named<number | null>): string =>
  `${name} ${share === null ? "–" : rounded(share * 100, 1)} %`;

function processTable(head: string, rows: readonly Named<ProcessFigures>[]): string {
  const processes = Object.keys(rows[0]?.[1] ?? {});
  const cells = rows.map(([name, cpu]) => [name, ...processes.map((each) => count(cpu[each]))]);
  return table([head, ...processes], cells);
}

function rateTable(rates: NonNullable<ScenarioFigures["fixed_rates"]>): string[] {
  if (rates.length === 0) return [];
  const rows = rates.map((each) => [
    ...[each.rate, each.per_s, each.p50_ms, each.p99_ms].map(cell),
    ...[each.webhook?.p50_ms, each.webhook?.p99_ms, each.unavailable].map(cell),
    each.kept_up ? "yes" : "NO",
  ]);
  const head = ["begun per s", "ended per s", "p50 ms", "p99 ms"];
  const webhook = ["webhook p50 ms", "webhook p99 ms", "503", "kept up"];
  return ["Lifecycles at fixed rates", table([...head, ...webhook], rows)];
}

function otherTables({ hot_account, flat, flat_within, webhooks }: BenchFigures): string[] {
  const sizes = Object.keys(Object.values(flat)[0] ?? {}).filter((key) => key !== "ratio");
  const flatRows = Object.entries(flat).map(([name, each]) => [
    name,
    ...sizes.map((key) => cell(each[key as `at_${number}`])),
    times(each.ratio),
    each.ratio <= flat_within ? "flat" : "NOT FLAT",
  ]);
  const sizeHeads = sizes.map((key) => `${count(Number(key.replace("at_", "")))} payouts`);
  return [
    ...(hot_account === undefined ? [] : hotAccountTable(hot_account)),
    ...(flatRows.length === 0
      ? []
      : [
          `p50 in ms by number of payouts; flat is within ${times(flat_within)}`,
          table(["", ...sizeHeads, "ratio", ""], flatRows),
        ]),
    ...(webhooks === undefined ? [] : backlogTables(webhooks)),
  ];
}

function hotAccountTable(figures: NonNullable<BenchFigures["hot_account"]>): string[] {
  const { one_per_s, many_per_s, accounts, ratio, ratio_min } = figures;
  const verdict = ratio >= ratio_min ? "" : "TOO LOW";
  const row = ["execute", cell(one_per_s), cell(many_per_s), times(ratio), verdict];
  return [
    `Executes per second from one account and from many; at least ${times(ratio_min)}`,
    table(["", "one account", `${accounts} accounts`, "ratio", ""], [row]),
  ];
}

function backlogTables(figures: NonNullable<BenchFigures["webhooks"]>): string[] {
  const { alone, beside, lost, duplicates, misrouted } = figures;
  const row = [
    ...[figures.backlog, figures.drained_per_s, alone.p50_ms, alone.p99_ms].map(cell),
    ...[beside.p50_ms, beside.p99_ms, figures.p99_ratio, figures.mongo_ops_total].map(cell),
    ...[lost, duplicates, misrouted].map(cell),
  ];
  const latency = ["new p50 ms", "new p99 ms", "beside p50 ms", "beside p99 ms", "p99 ratio"];
  const counts = ["commands", "lost", "duplicates", "misrouted"];
  return [
    "A backlog of webhooks drains while new events come; new events without it and beside it",
    table(["backlog", "drained per s", ...latency, ...counts], [row]),
    "CPU time of a delivery by process, in µs",
    processTable("", [["backlog", figures.cpu_us]]),
  ];
}

/** A Markdown table, padded so that it also reads well in a terminal. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, at) => {
    return Math.max(3, cell.length, ...rows.map((row) => (row[at] ?? "").length));
  });
  const line = (row: readonly string[]) => {
    const cells = widths.map((width, at) => {
      const cell = row[at] ?? "";
      return at === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${cells.join(" | ")} |`;
  };
  const rule = widths.map((width, at) =>
    at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** A whole number with thousands separators; a dash for none. */
function count(value: number | null | undefined): string {
  return value == null ? "–" : Math.round(value).toLocaleString("en-US");
}
