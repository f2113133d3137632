import type { BenchFigures, FlatFigures, HotAccountFigures, ScenarioFigures } from "./figures.ts";

/** Rows under a head, each column as wide as its widest cell, numbers to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, at) => {
    return Math.max(cell.length, ...rows.map((row) => (row[at] ?? "").length));
  });
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("──");
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** A whole number with thin groups, or what says that there is none. */
function count(value: number | null | undefined): string {
  return value == null ? "–" : Math.round(value).toLocaleString("en-US");
}

const times = (ratio: number): string => `${ratio} ×`;

/** The figures as a person reads them. */
export function report(figures: BenchFigures): string {
  const scenarios = Object.entries(figures.scenarios);
  const flat = Object.entries(figures.flat);
  return [
    ...(scenarios.length === 0 ? [] : [speedTable(figures, scenarios), costTable(scenarios)]),
    ...(flat.length === 0 ? [] : [flatTable(figures, flat)]),
    ...(figures.hot_account === undefined ? [] : [hotAccountTable(figures.hot_account)]),
    ...(Object.keys(figures.idle).length === 0 ? [] : [idleTable(figures)]),
    `${figures.seconds_in_all} s in all, on ${figures.cpus} CPUs`,
  ].join("\n\n");
}

type Named<T> = readonly [string, T];

function speedTable({ concurrency }: BenchFigures, scenarios: Named<ScenarioFigures>[]): string {
  const rows = scenarios.map(([name, each]) => [
    name,
    ...[each.per_s, each.p50_ms, each.p99_ms].map(String),
    ...[each.floor_mongo.per_s, each.floor_mongo_ratio].map(String),
    ...[each.floor_echo.per_s, each.floor_echo_ratio].map(String),
  ]);
  const floors = ["Koa+MongoDB/s", "ratio", "Koa echo/s", "ratio"];
  const title = `${concurrency} requests at a time, every answer checked`;
  return `${title}\n${table(["scenario", "req/s", "p50 ms", "p99 ms", ...floors], rows)}`;
}

function costTable(scenarios: Named<ScenarioFigures>[]): string {
  const processes = Object.keys(scenarios[0]?.[1].cpu_us ?? {});
  const cpu = table(
    ["scenario", ...processes],
    scenarios.map(([name, { cpu_us }]) => [name, ...processes.map((each) => count(cpu_us[each]))]),
  );
  const commands = [...new Set(scenarios.flatMap(([, { mongo_ops }]) => Object.keys(mongo_ops)))];
  const operations = table(
    ["scenario", "all", ...commands],
    scenarios.map(([name, { mongo_ops, mongo_ops_total }]) => {
      const counts = commands.map((each) => String(mongo_ops[each] ?? 0));
      return [name, String(mongo_ops_total), ...counts];
    }),
  );
  const measured = scenarios.some(([, { cpu_us }]) =>
    Object.values(cpu_us).some((us) => us !== null),
  );
  const title = measured ? "CPU per request, µs" : "CPU per request: not measured on this platform";
  return `${title}\n${cpu}\n\nMongoDB commands per request\n${operations}`;
}

function flatTable({ flat_within }: BenchFigures, flat: Named<FlatFigures>[]): string {
  const sizes = Object.keys(flat[0]?.[1] ?? {}).filter((key) => key !== "ratio");
  const heads = sizes.map((key) => `${count(Number(key.replace("at_", "")))} payouts`);
  const rows = flat.map(([name, each]) => [
    name,
    ...sizes.map((key) => String(each[key as `at_${number}`])),
    times(each.ratio),
    each.ratio <= flat_within ? "flat" : "NOT FLAT",
  ]);
  const title = `p50 in ms by number of payouts; flat is within ${times(flat_within)}`;
  return `${title}\n${table(["", ...heads, "ratio", ""], rows)}`;
}

function hotAccountTable(figures: HotAccountFigures): string {
  const { one_per_s, many_per_s, accounts, ratio, ratio_min } = figures;
  const verdict = ratio >= ratio_min ? "" : "TOO LOW";
  const row = ["execute", String(one_per_s), String(many_per_s), times(ratio), verdict];
  const title = `Executes a second out of one account and of many; at least ${times(ratio_min)}`;
  return `${title}\n${table(["", "one account", `${accounts} accounts`, "ratio", ""], [row])}`;
}

function idleTable({ idle }: BenchFigures): string {
  const figure = (value: number | null) => (value === null ? "–" : String(value));
  const rows = Object.entries(idle).map(([name, each]) => [
    `${count(Number(name.replace("at_", "")))} payouts`,
    ...[each.payout_cpu_ms, each.engine_cpu_ms, each.mongo_ops].map(figure),
    ...[each.keys_examined, each.documents_examined].map(figure),
  ]);
  const cpu = ["payout CPU ms", "engine CPU ms"];
  const head = ["", ...cpu, "MongoDB commands", "keys read", "documents read"];
  return `An idle minute\n${table(head, rows)}`;
}
