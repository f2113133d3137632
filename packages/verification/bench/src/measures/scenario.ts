import type { MongoClient } from "mongodb";
import type { CpuFigures, FloorFigures, LoopFigures, ScenarioFigures } from "../figures.ts";
import type { Child } from "../load/child.ts";
import type { LoadCalls, LoadResult } from "../load/load-process.ts";
import type { ScenarioName } from "../load/scenarios.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import {
  type CommandCounts,
  commandTotal,
  readUsage,
  type Usage,
  usageBetween,
  wholeCommands,
} from "./counters.ts";
import { untilSettled } from "./money.ts";
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

/** Requests that are under way at once. */
export const concurrency = 16;
/** More than any machine executes in a second for one account. */
const quotesPerSecond = 150;
/** A floor is steady sooner than the platform. */
const floorShare = 0.3;

/** Measures a scenario and its floors, one after the other. */
export async function measureScenario(
  setup: ScenarioSetup,
  scenario: ScenarioName,
): Promise<ScenarioFigures> {
  const { platform, load, mongo, pids, idle, seconds } = setup;
  const run = { name: platform.name, concurrency } as const;
  if (scenario === "execute") {
    const requests = quotesPerSecond * seconds;
    await load.call("run", { ...run, scenario: "quote", end: { requests } });
  }
  const before = await readUsage(mongo, pids);
  const result = await load.call("run", { ...run, scenario, end: { seconds } });
  const polls = scenario === "execute" ? await untilSettled(platform) : 0;
  const after = await readUsage(mongo, pids);
  const usage = usageBetween(before, after, idle);
  const { find = 0, ...others } = usage.commands;
  const commands = mapValues({ ...others, find: find - polls }, (count) => count / result.requests);
  const floors = await measureFloors(setup, scenario, result, commands);
  const ratio = (floor: FloorFigures) => rounded(result.per_s / floor.per_s, 3);
  return {
    ...loopFigures(result),
    concurrency,
    cpu_us: cpuPerRequest(usage, result.requests),
    mongo_ops: mapValues(commands, (count) => rounded(count, 2)),
    mongo_ops_total: rounded(commandTotal(commands), 2),
    ...floors,
    floor_echo_ratio: ratio(floors.floor_echo),
    floor_mongo_ratio: ratio(floors.floor_mongo),
  };
}

async function measureFloors(
  { load, mongo, floor, seconds }: ScenarioSetup,
  scenario: ScenarioName,
  { method, requestBytes, answerBytes }: LoadResult,
  commands: CommandCounts,
) {
  const measure = async (names: readonly string[]): Promise<FloorFigures> => {
    const query = new URLSearchParams({ bytes: String(answerBytes), commands: names.join(",") });
    const before = await readUsage(mongo, { floor: floor.pid });
    const result = await load.call("floor", {
      url: `${floor.url}/?${query}`,
      ...{ method, requestBytes, answerBytes, concurrency },
      end: { seconds: seconds * floorShare },
    });
    const usage = usageBetween(before, await readUsage(mongo, { floor: floor.pid }));
    return { ...loopFigures(result), cpu_us: cpuPerRequest(usage, result.requests).floor ?? null };
  };
  const names = wholeCommands(commands);
  const isPage = scenario === "list";
  return {
    floor_echo: await measure([]),
    floor_mongo: await measure(isPage ? names.with(names.indexOf("find"), "page") : names),
  };
}

function loopFigures({ requests, per_s, p50_ms, p99_ms }: LoadResult): LoopFigures {
  return { requests, per_s, p50_ms, p99_ms };
}

function cpuPerRequest({ cpu }: Usage, requests: number): CpuFigures {
  return mapValues(cpu, (used) => (used === undefined ? null : Math.round(used / requests)));
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W) {
  const pairs = Object.entries(record).map(([key, value]) => [key, map(value)] as const);
  return Object.fromEntries(pairs) as Record<string, W>;
}
