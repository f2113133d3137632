import { availableParallelism } from "node:os";
import { exitOnSignals, runCommand, say, writeJson } from "@disburse/harness/command-line.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/environments.ts";
import type { BenchFigures, FlatFigures, IdleFigures, ScenarioFigures } from "./figures.ts";
import { type Child, startChild } from "./load/child.ts";
import type { FloorCalls } from "./load/floor-process.ts";
import type { LoadCalls } from "./load/load-process.ts";
import type { ScenarioName } from "./load/scenarios.ts";
import {
  measureFlatness,
  measureHotAccount,
  measureIdle,
  type SizedPlatform,
} from "./measures/comparisons.ts";
import { readUsage, type Usage, type UsageReading, usageBetween } from "./measures/counters.ts";
import { checkInvariants, checkMoney, untilSettled } from "./measures/money.ts";
import { concurrency, measureScenario, type ScenarioSetup } from "./measures/scenario.ts";
import { type BenchOptions, readOptions } from "./options.ts";
import { type Backends, withBackends } from "./platforms/backends.ts";
import { type BenchPlatform, startBenchPlatform } from "./platforms/bench-platform.ts";
import { report } from "./report.ts";
import { seedPayouts } from "./seeding/seeding.ts";

/** `npm run bench`: README.md says what it measures and how. */

async function main(options: BenchOptions, backends: Backends): Promise<number> {
  const { figures, faults } = await runBench(backends, options);
  say(`\n${report(figures)}\n`);
  writeJson(options.json, figures);
  say(faults.length === 0 ? "money conserved" : `money NOT conserved:\n${faults.join("\n")}`);
  return faults.length === 0 ? 0 : 1;
}

/** What a list, a read and an execute may cost more at the large size (the project's own bound). */
const flatWithin = 1.3;
/** Long enough for every background loop to come round often. */
const idleMs = 2_000;
/** In this order: an execute needs quotes, a read payouts. */
const scenarioNames = ["quote", "execute", "read", "list", "beneficiary"] as const;

type Bench = {
  readonly backends: Backends;
  readonly options: BenchOptions;
  readonly load: Child<LoadCalls>;
  /** What ends with the bench, or with a part of it. */
  readonly ends: AsyncDisposableStack;
};

/** Runs the whole bench; what is wrong with the money, if anything, stands in `faults`. */
async function runBench(
  backends: Backends,
  options: BenchOptions,
): Promise<{ readonly figures: BenchFigures; readonly faults: readonly string[] }> {
  const startedAt = performance.now();
  const load = startChild<LoadCalls>("load/load-process.ts");
  await using ends = new AsyncDisposableStack();
  ends.defer(load.stop);
  const bench: Bench = { backends, options, load, ends };
  const idle = options.only.has("idle") ? await measureIdleSizes(bench) : {};
  const { faults = [], ...measured } = (await measureRequests(bench)) ?? {
    scenarios: {},
    flat: {},
  };
  const figures: BenchFigures = {
    seconds_in_all: Math.round((performance.now() - startedAt) / 1_000),
    cpus: availableParallelism(),
    concurrency,
    ...measured,
    flat_within: flatWithin,
    idle,
    money_conserved: faults.length === 0,
  };
  return { figures, faults };
}

/** All but the idle measurement; undefined where that alone is wanted. */
async function measureRequests(bench: Bench) {
  const { load, options } = bench;
  const wanted = scenarioNames.filter((name) => options.only.has(name));
  const [wantsFlat, wantsHot] = [options.only.has("flat"), options.only.has("hot")];
  if (wanted.length === 0 && !wantsFlat && !wantsHot) return undefined;
  const small = await startSized(bench, "small", options.sizes.small);
  const flat = wantsFlat ? await compareSizes(bench, small) : undefined;
  const scenarios = wanted.length > 0 ? await measureAll(bench, small.platform, wanted) : {};
  if (wantsHot) say("comparing one account with many");
  const hot = wantsHot ? await measureHotAccount(load, small.platform, options.seconds) : undefined;
  say("checking that money is conserved");
  const payouts = small.payouts + (hot?.executed ?? 0);
  const faults = [
    ...(await faultsOf(load, { ...small, payouts })),
    ...(await checkInvariants(small.platform)),
    ...(flat?.faults ?? []),
  ];
  const hotFigures = hot === undefined ? {} : { hot_account: hot.figures };
  return { scenarios, flat: flat?.figures ?? {}, ...hotFigures, faults };
}

/** The payout service's sweeps, beside few settled payouts and beside many. */
async function measureIdleSizes(bench: Bench): Promise<Record<string, IdleFigures>> {
  const { backends, options } = bench;
  const figures: Record<string, IdleFigures> = {};
  for (const payouts of options.idle.sizes) {
    await using ends = new AsyncDisposableStack();
    const { platform } = await startSized({ ...bench, ends }, `idle${payouts}`, payouts, [
      "payout",
    ]);
    say(`measuring what it does for ${options.idle.seconds} s`);
    const { engine } = backends.pids;
    const { seconds } = options.idle;
    figures[`at_${payouts}`] = await measureIdle(platform, backends.mongo, engine, seconds);
  }
  return figures;
}

async function startSized(
  bench: Bench,
  name: string,
  payouts: number,
  services?: readonly ServiceName[],
): Promise<SizedPlatform> {
  const { backends, load, ends } = bench;
  say(`starting a platform with ${payouts} payouts`);
  const startedAt = performance.now();
  const platform = await startBenchPlatform(name, backends);
  ends.defer(platform.stop);
  const { readable, deepCursor } = await seedPayouts(platform, payouts, services);
  await load.call("target", { name, target: platform.target, payouts: readable });
  say(`  took ${Math.round((performance.now() - startedAt) / 100) / 10} s`);
  return { platform, payouts, deepCursor };
}

/** Compares the small platform with a large one, which ends here. */
async function compareSizes(bench: Bench, small: SizedPlatform) {
  const { load, options } = bench;
  await using ends = new AsyncDisposableStack();
  const large = await startSized({ ...bench, ends }, "large", options.sizes.large);
  say("comparing the two sizes");
  await warmUp(bench, [small.platform, large.platform], options.warmUpSeconds / 2);
  const figures: Record<string, FlatFigures> = await measureFlatness(
    load,
    [small, large],
    options.rounds,
  );
  return { figures, faults: await faultsOf(load, large) };
}

async function measureAll(
  bench: Bench,
  platform: BenchPlatform,
  wanted: readonly ScenarioName[],
): Promise<Record<string, ScenarioFigures>> {
  const { backends, load, options, ends } = bench;
  const { mongo } = backends;
  const database = "bench_floor";
  const floorProcess = startChild<FloorCalls>("load/floor-process.ts");
  ends.defer(floorProcess.stop);
  const served = { uri: backends.mongodbUri(database), database };
  const { url } = await floorProcess.call("serve", served);
  const floor = { url, pid: floorProcess.pid };
  say("warming up");
  await warmUp(bench, [platform], options.warmUpSeconds);
  await untilSettled(platform);
  const services = serviceNames.map((service) => [service, platform.pid(service)] as const);
  const pids = { ...Object.fromEntries(services), ...backends.pids, load: load.pid };
  const idle = await restingCost(() => readUsage(mongo, pids));
  const { seconds } = options;
  const setup: ScenarioSetup = { platform, load, mongo, pids, floor, idle, seconds };
  const figures: Record<string, ScenarioFigures> = {};
  for (const scenario of wanted) {
    say(`measuring ${scenario}`);
    figures[scenario] = await measureScenario(setup, scenario);
  }
  return figures;
}

async function restingCost(read: () => Promise<UsageReading>): Promise<Usage> {
  const before = await read();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  return usageBetween(before, await read());
}

/** Every scenario on every platform, for so many seconds in all. */
async function warmUp(
  { load }: Bench,
  platforms: readonly BenchPlatform[],
  seconds: number,
): Promise<void> {
  const runs = platforms.flatMap(({ name }) =>
    scenarioNames.map((scenario) => ({ name, scenario })),
  );
  const end = { seconds: seconds / runs.length };
  for (const { name, scenario } of runs) {
    await load.call("run", { name, scenario, concurrency, end });
  }
}

/** The executes that the load generator saw succeed, beside the payouts that were seeded. */
async function faultsOf(
  load: Child<LoadCalls>,
  { platform, payouts }: SizedPlatform,
): Promise<string[]> {
  const executed = await load.call("executed", platform.name);
  const faults = await checkMoney(platform, payouts + executed);
  return faults.map((fault) => `${platform.name}: ${fault}`);
}

exitOnSignals();
await runCommand((args) => {
  const options = readOptions(args);
  return withBackends((backends) => main(options, backends));
});
