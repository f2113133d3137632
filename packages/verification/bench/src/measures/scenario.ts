import type { MongoClient } from "mongodb";
import type {
  LoopFigures,
  NaiveFigures,
  ProcessFigures,
  RateFigures,
  ScenarioFigures,
} from "../figures.ts";
import type { Child } from "../load/child.ts";
import type { LoadCalls, LoadResult, Loop } from "../load/load-process.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { commandTotal, readUsage, type Usage, usageBetween } from "./counters.ts";
import { untilSettled } from "./money.ts";
import { rounded } from "./percentile.ts";

/** Scenarios in the order in which they run: an execute needs quotes, a read payouts. */
export const scenarioNames = [
  "quote",
  "execute",
  "read",
  "list",
  "beneficiary",
  "lifecycle",
  "merchants",
] as const;
/** A scenario; `merchants` is the lifecycle of many merchants. */
export type MeasuredName = (typeof scenarioNames)[number];

/** The scenarios that merchants of their own run, each with a webhook endpoint. */
export const lifecycleNames = ["lifecycle", "merchants"] as const;

/** What a scenario is measured with. */
export type ScenarioSetup = {
  readonly platform: BenchPlatform;
  readonly load: Child<LoadCalls>;
  readonly mongo: MongoClient;
  /** Every process whose time counts, by name. */
  readonly pids: Readonly<Record<string, number | undefined>>;
  readonly naive: { readonly url: string; readonly pid: number };
  /** What the idle platform uses. */
  readonly idle: Usage;
  readonly seconds: number;
  /** The merchants of `merchants`. */
  readonly merchants: number;
};

/** Requests in flight at once: a busy merchant's. */
export const concurrency = 64;
/** Figures that are steady sooner are measured for this share of the time. */
const shortShare = 0.3;
/** Processes that stand for merchants and are no part of the platform. */
const outside: readonly string[] = ["load", "receiver"];

/** The load generator's name for the merchants that run a scenario. */
export function targetOf({ name }: BenchPlatform, scenario: MeasuredName): string {
  return lifecycleNames.some((each) => each === scenario) ? `${name}, ${scenario}` : name;
}

/** Runs one scenario against the platform. */
export async function runScenario(
  { load, platform }: Pick<ScenarioSetup, "load" | "platform">,
  scenario: MeasuredName,
  loop: Loop,
): Promise<LoadResult> {
  const name = targetOf(platform, scenario);
  return await load.call("run", { name, scenario: requestsOf(scenario), loop });
}

const requestsOf = (name: MeasuredName) => (name === "merchants" ? "lifecycle" : name);

/** Measures a scenario, then the naive program at the same. */
export async function measureScenario(
  setup: ScenarioSetup,
  name: MeasuredName,
): Promise<ScenarioFigures> {
  const { platform, mongo, pids, idle, seconds } = setup;
  const paysOut = requestsOf(name) === "lifecycle" || name === "execute";
  const settle = async () => (paysOut ? await untilSettled(platform) : 0);
  const run = async (count: number, runSeconds: number) => {
    const end = { seconds: runSeconds };
    if (name === "execute") await runScenario(setup, "quote", quotesFor(runSeconds));
    const before = await readUsage(mongo, pids);
    const result = await runScenario(setup, name, { concurrency: count, end });
    const polls = await settle();
    return { result, polls, usage: usageBetween(before, await readUsage(mongo, pids), idle) };
  };
  const { result, polls, usage } = await run(concurrency, seconds);
  const single = await run(1, seconds * shortShare);
  const naive = await measureNaive(setup, name, result);
  const { find = 0, ...others } = usage.commands;
  const each = (used: number) => used / result.requests;
  const commands = mapValues({ ...others, find: find - polls }, each);
  const cpu_us = cpuPerRequest(usage, result.requests);
  const { journalBytes } = usage;
  return {
    ...loopFigures(result),
    cpu_us,
    mongo_ops: mapValues(commands, (count) => rounded(count, 2)),
    mongo_ops_total: rounded(commandTotal(commands), 2),
    document_writes: rounded(each(usage.writes), 2),
    journal_bytes: journalBytes === undefined ? null : Math.round(each(journalBytes)),
    naive,
    naive_ratio: rounded(result.per_s / naive.per_s, 3),
    naive_cpu_ratio: naiveCpuRatio(cpu_us, naive),
    one_at_a_time: loopFigures(single.result),
    ...(result.webhook === undefined ? {} : { webhook: result.webhook }),
    ...(name === "lifecycle" ? { fixed_rates: await measureRates(setup) } : {}),
  };
}

/** The CPU time of a request in all processes of the platform, in µs. */
export function platformCpu(cpu_us: ProcessFigures): number {
  const own = Object.entries(cpu_us).filter(([name]) => !outside.includes(name));
  return own.reduce((sum, [, us]) => sum + (us ?? 0), 0);
}

/** The platform's CPU time as a multiple; `null` if the engine's is not measured. */
export function naiveCpuRatio(
  cpu_us: ProcessFigures,
  naive: Pick<NaiveFigures, "cpu_us" | "engine_cpu_us">,
): number | null {
  if (naive.cpu_us === null || naive.engine_cpu_us === null) return null;
  return rounded(platformCpu(cpu_us) / (naive.cpu_us + naive.engine_cpu_us), 2);
}

async function measureNaive(
  { load, mongo, naive, seconds, pids, idle, merchants }: ScenarioSetup,
  name: MeasuredName,
  { sizes }: LoadResult,
): Promise<NaiveFigures> {
  const accounts = name === "merchants" ? merchants : 1;
  const job = { url: naive.url, scenario: requestsOf(name), accounts, sizes };
  const end = { seconds: seconds * shortShare };
  if (name === "execute") {
    await load.call("naive", { ...job, scenario: "quote", loop: quotesFor(end.seconds) });
  }
  const counted = { naive: naive.pid, engine: pids.engine };
  const before = await readUsage(mongo, counted);
  const result = await load.call("naive", { ...job, loop: { concurrency, end } });
  const usage = usageBetween(before, await readUsage(mongo, counted), idle);
  const cpu = cpuPerRequest(usage, result.requests);
  return {
    ...loopFigures(result),
    cpu_us: cpu.naive ?? null,
    engine_cpu_us: cpu.engine ?? null,
  };
}

/** Lifecycles per second, in turn until the platform does not keep up. */
const rates = [10, 25, 50, 100, 200, 400];
/** An open loop ends with so many in flight: seconds of work for any platform. */
const inFlightMax = 256;
/** If more lifecycles begin than end, half take longer than this after a few seconds. */
const keptUpMs = 1_000;

async function measureRates(setup: ScenarioSetup): Promise<RateFigures[]> {
  const figures: RateFigures[] = [];
  for (const rate of rates) {
    const loop = { perSecond: rate, seconds: setup.seconds, inFlightMax };
    const result = await runScenario(setup, "lifecycle", loop);
    const kept_up = result.keptUp && result.p50_ms <= keptUpMs;
    const { webhook } = result;
    figures.push({
      ...loopFigures(result),
      rate,
      kept_up,
      ...(webhook === undefined ? {} : { webhook }),
    });
    if (!kept_up) break;
  }
  return figures;
}

/** Runs each scenario in turn, so that its code is compiled and its data cached. */
export async function warmUp(
  load: Child<LoadCalls>,
  platform: BenchPlatform,
  wanted: readonly MeasuredName[],
  seconds: number,
): Promise<void> {
  // An execute needs quotes.
  const names = new Set(wanted.includes("execute") ? ["quote" as const, ...wanted] : wanted);
  const loop = { concurrency, end: { seconds: seconds / names.size } };
  for (const name of names) await runScenario({ load, platform }, name, loop);
}

/** An execute costs more than a quote, so this is enough quotes for `seconds` of executes. */
function quotesFor(seconds: number): Loop {
  return { concurrency, end: { seconds: seconds * 2 } };
}

function loopFigures({ requests, per_s, p50_ms, p99_ms, unavailable }: LoadResult): LoopFigures {
  return { requests, per_s, p50_ms, p99_ms, unavailable };
}

/** CPU time by process for each of so many requests, in µs. */
export function cpuPerRequest({ cpu }: Pick<Usage, "cpu">, requests: number): ProcessFigures {
  return mapValues(cpu, (used) => (used === undefined ? null : Math.round(used / requests)));
}

/** A record with the same keys. */
export function mapValues<V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W) {
  const pairs = Object.entries(record).map(([key, value]) => [key, map(value)] as const);
  return Object.fromEntries(pairs) as Record<string, W>;
}
