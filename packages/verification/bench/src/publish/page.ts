import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchFigures, LifecycleFigures, ScenarioFigures } from "../figures.ts";
import { platformCpu } from "../measures/cost.ts";
import { count } from "../table.ts";
import { costPlot } from "./plot.ts";

const begin = "<!-- measured by npm run bench -- --publish -->";
const end = "<!-- end of what was measured -->";

/** A page with its figures replaced. @throws {Error} where it has no place for them. */
export function withFigures(page: string, figures: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error("the page has no place for figures");
  return `${page.slice(0, from + begin.length)}\n\n${figures}\n\n${page.slice(to)}`;
}

/** The figures in Markdown. */
export function figuresPage(figures: BenchFigures): string {
  const { machine } = figures;
  const scenarios = Object.entries(figures.scenarios);
  const where =
    `Commit \`${machine.commit}\`, ${machine.date}: ${machine.cpu}, ${machine.memory_gb} GB, ` +
    `${machine.os}, Node ${machine.node}, MongoDB ${machine.mongodb}; load average before the run ` +
    `${machine.load_before}.`;
  return [
    where,
    "![CPU time per request by process, beside the floors](performance.svg)",
    markdown(speedHead, scenarios.map(speedRow)),
    `**Floors**, and the platform's requests per second as a share of theirs.`,
    markdown(floorHead, scenarios.map(floorRow)),
    ...lifecycleParts(figures),
    ...otherParts(figures),
  ].join("\n\n");
}

type Named<T> = readonly [string, T];

const speedHead = [
  ...["scenario", "per s", "p50 ms", "p99 ms", "p99.9 ms", "alone p50 ms", "CPU µs"],
  ...["commands", "document writes"],
];

function speedRow([name, each]: Named<ScenarioFigures>): string[] {
  return [
    ...[name, each.per_s, each.p50_ms, each.p99_ms, each.p999_ms, each.one_at_a_time.p50_ms],
    ...[count(platformCpu(each)), each.mongo_ops_total, each.document_writes],
  ].map(String);
}

const floorHead = [
  ...["scenario", "naive per s", "CPU µs", "ratio", "grouped per s", "CPU µs", "ratio"],
  ...["same commands per s", "ratio", "echo per s", "ratio"],
];

function floorRow([name, each]: Named<ScenarioFigures>): string[] {
  const { floor_naive: naive, floor_grouped: grouped, floor_mongo, floor_echo } = each;
  return [
    ...[name, naive.per_s, count(floorCpu(naive)), each.naive_ratio],
    ...[grouped.per_s, count(floorCpu(grouped)), each.grouped_ratio],
    ...[floor_mongo.per_s, each.floor_mongo_ratio, floor_echo.per_s, each.floor_echo_ratio],
  ].map(String);
}

/** What a fixed floor's process and the engine use for a request, in microseconds. */
export function floorCpu(floor: ScenarioFigures["floor_naive"]): number {
  return (floor.cpu_us ?? 0) + (floor.engine_cpu_us ?? 0);
}

function lifecycleParts({ scenarios }: BenchFigures): string[] {
  const { lifecycle } = scenarios as { readonly lifecycle?: LifecycleFigures };
  if (lifecycle === undefined) return [];
  const closed = { ...lifecycle, rate: "closed", kept_up: true };
  const rows = [closed, ...lifecycle.open_loop].map((each) => [
    ...[each.rate, each.per_s, each.p50_ms, each.p99_ms, each.p999_ms].map(String),
    ...[each.webhook_p50_ms, each.webhook_p99_ms].map(String),
    each.kept_up ? "yes" : "no",
  ]);
  const head = [
    ...["begun per s", "ended per s", "p50 ms", "p99 ms", "p99.9 ms"],
    ...["webhook p50 ms", "webhook p99 ms", "kept up"],
  ];
  return ["**Lifecycles**, in a closed loop and at fixed rates.", markdown(head, rows)];
}

function otherParts({ memory_mb, cold_start, hot_account, flat, idle }: BenchFigures): string[] {
  const memory = Object.entries(memory_mb).map(
    ([name, megabytes]) => `${name} ${count(megabytes)}`,
  );
  const flatRatios = Object.entries(flat).map(([name, { ratio }]) => `${name} ${ratio} ×`);
  const [few, many] = Object.keys(Object.values(flat)[0] ?? {}).flatMap(sizeOf);
  const idles = Object.entries(idle).map(([name, each]) => {
    return `${sizeOf(name)} payouts: ${each.mongo_ops} commands a minute`;
  });
  return [
    ...(memory.length === 0 ? [] : [`**Resident memory**, MB: ${memory.join(", ")}.`]),
    ...(flatRatios.length === 0
      ? []
      : [`**p50 with ${many} payouts** to that with ${few}: ${flatRatios.join(", ")}.`]),
    ...(hot_account === undefined
      ? []
      : [`**One account** to ${hot_account.accounts}, executes a second: ${hot_account.ratio} ×.`]),
    ...(cold_start === undefined
      ? []
      : [
          `**Cold start**: all six services answer after ${count(cold_start.ready_ms)} ms; the ` +
            `first quote takes ${count(cold_start.first_quote_ms)} ms, its execute ` +
            `${count(cold_start.first_execute_ms)} ms.`,
        ]),
    ...(idles.length === 0 ? [] : [`**Idle**: ${idles.join(", ")}.`]),
  ];
}

/** The number in `at_1000`; a ratio is for no one size. */
function sizeOf(key: string): string[] {
  return key.startsWith("at_") ? [count(Number(key.slice("at_".length)))] : [];
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

const docs = join(import.meta.dirname, "../../../../../docs");

/** Writes the figures into docs/PERFORMANCE.md, and the plot beside it. */
export function publish(figures: BenchFigures): void {
  const page = join(docs, "PERFORMANCE.md");
  writeFileSync(page, withFigures(readFileSync(page, "utf8"), figuresPage(figures)));
  writeFileSync(join(docs, "performance.svg"), costPlot(figures));
}
