import type { MongoClient } from "mongodb";
import type {
  FixedFloorFigures,
  FloorFigures,
  LoopFigures,
  ProcessFigures,
  ScenarioFigures,
} from "../figures.ts";
import type { Child } from "../load/child.ts";
import type { FloorKind, FloorScenario } from "../load/floors/exchanges.ts";
import type { LoadCalls, LoadResult } from "../load/load-process.ts";
import type { LoopEnd } from "../load/loops.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import {
  type CommandCounts,
  commandTotal,
  readUsage,
  type Usage,
  usageBetween,
  wholeCommands,
} from "./counters.ts";
import { rounded } from "./percentile.ts";

/** What a scenario is measured with. */
export type ScenarioSetup = {
  readonly platform: BenchPlatform;
  readonly load: Child<LoadCalls>;
  readonly mongo: MongoClient;
  /** Every process whose time counts, by name. */
  readonly pids: Readonly<Record<string, number | undefined>>;
  readonly floor: { readonly url: string; readonly pid: number };
  /** What the idle platform uses. */
  readonly idle: Usage;
  readonly seconds: number;
};

/** What is measured: how it is asked of the platform, and of the fixed floors. */
export type Measured<Result extends LoadResult = LoadResult> = {
  /** Runs it against the platform, so many at a time. */
  readonly run: (concurrency: number, end: LoopEnd) => Promise<Result>;
  /** Waits until all that was set going is done; answers how often it has asked the database. */
  readonly settle: () => Promise<number>;
  /** Before each run: what that needs is made, in time proportional to `seconds`. */
  readonly prepare?: (seconds: number) => Promise<unknown>;
  readonly floor: FloorScenario;
  /** The accounts that the executes are spread over. */
  readonly accounts: number;
  /** Whether a request reads a page, which no other `find` costs as much as. */
  readonly isPage: boolean;
};

/** Requests that are under way at once: a busy merchant's. */
export const concurrency = 64;
/** What is not the platform itself is steady sooner. */
const shortShare = 0.3;

/** Measures a scenario and its floors, one after the other. */
export async function measureScenario<Result extends LoadResult>(
  setup: ScenarioSetup,
  measured: Measured<Result>,
): Promise<{ readonly figures: ScenarioFigures; readonly result: Result }> {
  const { mongo, pids, idle, seconds } = setup;
  await measured.prepare?.(seconds);
  const before = await readUsage(mongo, pids);
  const result = await measured.run(concurrency, { seconds });
  const polls = await measured.settle();
  const after = await readUsage(mongo, pids);
  const usage = usageBetween(before, after, idle);
  const { find = 0, ...others } = usage.commands;
  const commands = mapValues({ ...others, find: find - polls }, (count) => count / result.requests);
  await measured.prepare?.(seconds * shortShare);
  const single = await measured.run(1, { seconds: seconds * shortShare });
  await measured.settle();
  const floors = await measureFloors(setup, measured, result, commands);
  const ratio = (floor: FloorFigures) => rounded(result.per_s / floor.per_s, 3);
  const figures: ScenarioFigures = {
    ...loopFigures(result),
    concurrency,
    cpu_us: cpuPerRequest(usage, result.requests),
    mongo_ops: mapValues(commands, (count) => rounded(count, 2)),
    mongo_ops_total: rounded(commandTotal(commands), 2),
    document_writes: rounded(usage.writes / result.requests, 2),
    ...floors,
    floor_echo_ratio: ratio(floors.floor_echo),
    floor_mongo_ratio: ratio(floors.floor_mongo),
    naive_ratio: ratio(floors.floor_naive),
    grouped_ratio: ratio(floors.floor_grouped),
    one_at_a_time: loopFigures(single),
  };
  return { figures, result };
}

async function measureFloors(
  setup: ScenarioSetup,
  measured: Measured,
  result: LoadResult,
  commands: CommandCounts,
) {
  const names = wholeCommands(commands);
  const page = measured.isPage ? names.indexOf("find") : -1;
  return {
    floor_echo: await measureCommands(setup, result, []),
    floor_mongo: await measureCommands(setup, result, page < 0 ? names : names.with(page, "page")),
    floor_naive: await measureFixed(setup, measured, result, "naive"),
    floor_grouped: await measureFixed(setup, measured, result, "grouped"),
  };
}

/** The floor that repeats the platform's own commands; with none of them, the echo. */
async function measureCommands(
  { load, mongo, floor, seconds }: ScenarioSetup,
  { method, requestBytes, answerBytes }: LoadResult,
  names: readonly string[],
): Promise<FloorFigures> {
  const query = new URLSearchParams({ bytes: String(answerBytes), commands: names.join(",") });
  const before = await readUsage(mongo, { floor: floor.pid });
  const result = await load.call("floor", {
    url: `${floor.url}/?${query}`,
    ...{ method, requestBytes, answerBytes, concurrency },
    end: { seconds: seconds * shortShare },
  });
  const usage = usageBetween(before, await readUsage(mongo, { floor: floor.pid }));
  return { ...loopFigures(result), cpu_us: cpuPerRequest(usage, result.requests).floor ?? null };
}

/** A floor whose commands stay the same, whatever the platform's are. */
async function measureFixed(
  { load, mongo, floor, seconds, pids, idle }: ScenarioSetup,
  { floor: scenario, accounts }: Measured,
  { method, requestBytes, answerBytes }: LoadResult,
  kind: FloorKind,
): Promise<FixedFloorFigures> {
  const sizes = { method, requestBytes, answerBytes };
  const job = { ...sizes, url: floor.url, kind, accounts, concurrency };
  const end = { seconds: seconds * shortShare };
  if (scenario === "execute") {
    await load.call("fixedFloor", { ...job, scenario: "quote", end: quotesFor(end.seconds) });
  }
  const counted = { floor: floor.pid, engine: pids.engine };
  const before = await readUsage(mongo, counted);
  const result = await load.call("fixedFloor", { ...job, scenario, end });
  const usage = usageBetween(before, await readUsage(mongo, counted), idle);
  const cpu = cpuPerRequest(usage, result.requests);
  return {
    ...loopFigures(result),
    cpu_us: cpu.floor ?? null,
    engine_cpu_us: cpu.engine ?? null,
  };
}

/** Lets the fixed floors do once what they are measured by later. */
export async function warmUpFloors(
  load: Child<LoadCalls>,
  url: string,
  seconds: number,
): Promise<void> {
  const sizes = { method: "POST", requestBytes: 100, answerBytes: 100 } as const;
  for (const kind of ["naive", "grouped"] as const) {
    const job = { ...sizes, url, kind, accounts: 1, concurrency, scenario: "lifecycle" } as const;
    await load.call("fixedFloor", { ...job, end: { seconds: seconds / 2 } });
  }
}

/** An execute costs more than a quote: as many are made in twice the time. */
export function quotesFor(seconds: number): LoopEnd {
  return { seconds: seconds * 2 };
}

function loopFigures({ requests, per_s, p50_ms, p99_ms, p999_ms }: LoadResult): LoopFigures {
  return { requests, per_s, p50_ms, p99_ms, p999_ms };
}

function cpuPerRequest({ cpu }: Usage, requests: number): ProcessFigures {
  return mapValues(cpu, (used) => (used === undefined ? null : Math.round(used / requests)));
}

/** A record of the same keys. */
export function mapValues<V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W) {
  const pairs = Object.entries(record).map(([key, value]) => [key, map(value)] as const);
  return Object.fromEntries(pairs) as Record<string, W>;
}
