import type { MongoClient } from "mongodb";
import type { BenchPlatform } from "./bench-platform.ts";
import { type CommandCounts, commandTotal, wholeCommands } from "./command-counts.ts";
import { type Spent, spentBetween, takeReading } from "./counters.ts";
import type { CpuFigures, FloorFigures, LoopFigures, ScenarioFigures } from "./figures.ts";
import type { LoadClient } from "./load-client.ts";
import type { LoadResult } from "./load-protocol.ts";
import { untilSettled } from "./money-check.ts";
import { rounded } from "./percentile.ts";
import type { ScenarioName } from "./scenarios.ts";

/** What a scenario is measured with. */
export type Measuring = {
  readonly platform: BenchPlatform;
  readonly load: LoadClient;
  readonly mongo: MongoClient;
  /** Every process whose time counts, by name. */
  readonly pids: Readonly<Record<string, number | undefined>>;
  readonly floor: { readonly url: string; readonly pid: number };
  /** What the platform does when nobody asks. */
  readonly idle: Spent;
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
  measuring: Measuring,
  scenario: ScenarioName,
): Promise<ScenarioFigures> {
  const { platform, load, mongo, pids, idle, seconds } = measuring;
  const run = { kind: "run", name: platform.name, cursor: "", concurrency } as const;
  if (scenario === "execute") {
    const requests = quotesPerSecond * seconds;
    await load.run({ ...run, scenario: "quote", end: { requests } });
  }
  const before = await takeReading(mongo, pids);
  const result = await load.run({ ...run, scenario, end: { seconds } });
  const asked = scenario === "execute" ? await untilSettled(platform) : 0;
  const after = await takeReading(mongo, pids);
  const spent = spentBetween(before, after, idle);
  const { find = 0, ...others } = spent.commands;
  const commands = perRequest({ ...others, find: find - asked }, result.requests);
  const floors = await measureFloors(measuring, scenario, result, commands);
  const ratio = (floor: FloorFigures) => rounded(result.per_s / floor.per_s, 3);
  return {
    ...loopFigures(result),
    concurrency,
    cpu_us: cpuPerRequest(spent, result.requests),
    mongo_ops: mapValues(commands, (count) => rounded(count, 2)),
    mongo_ops_total: rounded(commandTotal(commands), 2),
    ...floors,
    floor_echo_ratio: ratio(floors.floor_echo),
    floor_mongo_ratio: ratio(floors.floor_mongo),
  };
}

async function measureFloors(
  { load, mongo, floor, seconds }: Measuring,
  scenario: ScenarioName,
  { method, requestBytes, answerBytes }: LoadResult,
  commands: CommandCounts,
) {
  const measure = async (names: readonly string[]): Promise<FloorFigures> => {
    const query = new URLSearchParams({ bytes: String(answerBytes), commands: names.join(",") });
    const before = await takeReading(mongo, { floor: floor.pid });
    const result = await load.run({
      kind: "floor",
      url: `${floor.url}/?${query}`,
      ...{ method, requestBytes, answerBytes, concurrency },
      end: { seconds: seconds * floorShare },
    });
    const spent = spentBetween(before, await takeReading(mongo, { floor: floor.pid }));
    return { ...loopFigures(result), cpu_us: cpuPerRequest(spent, result.requests).floor ?? null };
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

function perRequest(counts: CommandCounts, requests: number): CommandCounts {
  return mapValues(counts, (count) => count / requests);
}

function cpuPerRequest({ cpu }: Spent, requests: number): CpuFigures {
  return mapValues(cpu, (used) => (used === undefined ? null : Math.round(used / requests)));
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W) {
  const pairs = Object.entries(record).map(([key, value]) => [key, map(value)] as const);
  return Object.fromEntries(pairs) as Record<string, W>;
}
