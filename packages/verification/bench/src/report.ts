import type {
  BenchFigures,
  FlatFigures,
  HotAccountFigures,
  LifecycleFigures,
  ScenarioFigures,
} from "./figures.ts";
import { platformCpu } from "./measures/cost.ts";
import { count, table } from "./table.ts";

const times = (ratio: number): string => `${ratio} ×`;

/** The figures as a person reads them. */
export function report(figures: BenchFigures): string {
  const scenarios = Object.entries(figures.scenarios);
  const flat = Object.entries(figures.flat);
  const lifecycles = scenarios.flatMap(([name, each]): Named<LifecycleFigures>[] => {
    return "open_loop" in each ? [[name, each]] : [];
  });
  return [
    ...(scenarios.length === 0
      ? []
      : [speedTable(figures, scenarios), floorTable(scenarios), costTable(scenarios)]),
    ...(lifecycles.length === 0 ? [] : [lifecycleTable(lifecycles)]),
    ...(Object.keys(figures.memory_mb).length === 0 ? [] : [memoryTable(figures)]),
    ...(flat.length === 0 ? [] : [flatTable(figures, flat)]),
    ...(figures.hot_account === undefined ? [] : [hotAccountTable(figures.hot_account)]),
    ...(figures.cold_start === undefined ? [] : [coldStartTable(figures.cold_start)]),
    ...(Object.keys(figures.idle).length === 0 ? [] : [idleTable(figures)]),
    `${figures.seconds_in_all} s in all, on ${figures.cpus} CPUs`,
  ].join("\n\n");
}

type Named<T> = readonly [string, T];

function speedTable({ concurrency }: BenchFigures, scenarios: Named<ScenarioFigures>[]): string {
  const rows = scenarios.map(([name, each]) => [
    name,
    ...[each.per_s, each.p50_ms, each.p99_ms, each.p999_ms].map(String),
    ...[each.one_at_a_time.p50_ms, each.one_at_a_time.p99_ms].map(String),
    count(platformCpu(each)),
    ...[each.mongo_ops_total, each.document_writes].map(String),
  ]);
  const head = ["req/s", "p50 ms", "p99 ms", "p99.9 ms", "alone p50", "p99"];
  const title = `${concurrency} requests at a time, every answer checked; alone: one at a time`;
  const costs = ["CPU µs", "commands", "writes"];
  return `${title}\n${table(["scenario", ...head, ...costs], rows)}`;
}

function floorTable(scenarios: Named<ScenarioFigures>[]): string {
  const rows = scenarios.map(([name, each]) => [
    name,
    ...[each.floor_naive.per_s, each.naive_ratio].map(String),
    ...[each.floor_grouped.per_s, each.grouped_ratio].map(String),
    ...[each.floor_mongo.per_s, each.floor_mongo_ratio].map(String),
    ...[each.floor_echo.per_s, each.floor_echo_ratio].map(String),
  ]);
  const floors = ["naive/s", "grouped/s", "same commands/s", "echo/s"];
  const head = ["scenario", ...floors.flatMap((floor) => [floor, "ratio"])];
  return `Floors, and the platform's requests per second as a share of theirs\n${table(head, rows)}`;
}

function lifecycleTable(lifecycles: Named<LifecycleFigures>[]): string {
  const times = (each: {
    readonly per_s: number;
    readonly p50_ms: number;
    readonly p99_ms: number;
  }) => [each.per_s, each.p50_ms, each.p99_ms].map(String);
  const rows = lifecycles.flatMap(([name, each]) => [
    [name, "closed", ...times(each), String(each.webhook_p50_ms), String(each.webhook_p99_ms), ""],
    ...each.open_loop.map((open) => [
      ...["", `${open.rate}/s`, ...times(open)],
      ...[String(open.webhook_p50_ms), String(open.webhook_p99_ms)],
      open.kept_up ? "" : "DID NOT KEEP UP",
    ]),
  ]);
  const head = ["", "loop", "per s", "p50 ms", "p99 ms", "webhook p50", "p99", ""];
  const title = "From quote to webhook; webhook: from the execute, less what the rail takes";
  return `${title}\n${table(head, rows)}`;
}

function memoryTable({ memory_mb }: BenchFigures): string {
  const names = Object.keys(memory_mb);
  const row = ["", ...names.map((name) => count(memory_mb[name]))];
  return `Resident memory after the scenarios, MB\n${table(["", ...names], [row])}`;
}

function coldStartTable(figures: NonNullable<BenchFigures["cold_start"]>): string {
  const { ready_ms, first_quote_ms, first_execute_ms } = figures;
  const row = ["", ...[ready_ms, first_quote_ms, first_execute_ms].map(count)];
  const head = ["", "all ready", "first quote", "first execute"];
  return `The six services started anew, ms\n${table(head, [row])}`;
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
