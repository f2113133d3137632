import { say } from "@disburse/harness/command-line.ts";
import { type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import type {
  ColdStartFigures,
  FlatFigures,
  IdleFigures,
  ProcessFigures,
  ScenarioFigures,
} from "./figures.ts";
import { type Child, startChild } from "./load/child.ts";
import type { FloorCalls } from "./load/floor-process.ts";
import type { LoadCalls } from "./load/load-process.ts";
import {
  measureFlatness,
  measureHotAccount,
  measureIdle,
  type SizedPlatform,
} from "./measures/comparisons.ts";
import { readUsage, type Usage, type UsageReading, usageBetween } from "./measures/counters.ts";
import { checkInvariants, checkMoney, untilSettled } from "./measures/money.ts";
import { median, rounded } from "./measures/percentile.ts";
import { residentBytes } from "./measures/process-usage.ts";
import { mapValues, type ScenarioSetup, warmUpFloors } from "./measures/scenario.ts";
import {
  lifecycleNames,
  lifecycleTarget,
  measureLifecycle,
  measureRequests,
  requestNames,
  warmUp,
} from "./measures/scenarios.ts";
import type { BenchOptions } from "./options.ts";
import type { Backends } from "./platforms/backends.ts";
import { type BenchPlatform, startBenchPlatform } from "./platforms/bench-platform.ts";
import { createMerchants } from "./platforms/merchants.ts";
import { seedPayouts } from "./seeding/seeding.ts";

/** What a list, a read and an execute may cost more at the large size (the project's own bound). */
export const flatWithin = 1.3;
/** Long enough for every background loop to come round often. */
const idleMs = 2_000;
const flatNames = ["quote", "execute", "read", "list"];
const megabyte = 1_024 ** 2;

/** What a run of the bench works with. */
export type Bench = {
  readonly backends: Backends;
  readonly options: BenchOptions;
  readonly load: Child<LoadCalls>;
  /** What ends with the bench, or with a part of it. */
  readonly ends: AsyncDisposableStack;
};

type MeasuredScenarios = {
  readonly scenarios: Readonly<Record<string, ScenarioFigures>>;
  readonly memory_mb: ProcessFigures;
};

const nothing: MeasuredScenarios = { scenarios: {}, memory_mb: {} };

/** All but the idle measurement, which has platforms of its own. */
export async function measurePlatform(bench: Bench) {
  const { only } = bench.options;
  const measured = await measureScenarios(bench);
  // Last, because the engine works for minutes on what is seeded for it.
  const flat = only.has("flat") ? await compareSizes(bench) : undefined;
  return {
    ...measured,
    flat: flat?.figures ?? {},
    faults: [...measured.faults, ...(flat?.faults ?? [])],
  };
}

/** What is measured on one platform, which ends here. */
async function measureScenarios(bench: Bench) {
  const { load, options } = bench;
  const { only } = options;
  const wanted = [...requestNames, ...lifecycleNames].filter((name) => only.has(name));
  if (wanted.length === 0 && !only.has("hot") && !only.has("cold")) {
    return { ...nothing, faults: [] };
  }
  await using ends = new AsyncDisposableStack();
  const small = await startSized({ ...bench, ends }, "small", options.sizes.small);
  const { platform } = small;
  const scenarios = wanted.length > 0 ? await measureAll(bench, platform, wanted) : nothing;
  if (only.has("hot")) say("comparing one account with many");
  const hot = only.has("hot")
    ? await measureHotAccount(load, platform, options.seconds)
    : undefined;
  if (only.has("cold")) say("starting the services anew");
  const cold = only.has("cold") ? await measureColdStart(load, platform) : undefined;
  say("checking that money is conserved");
  const targets = [
    platform.name,
    ...lifecycleNames
      .filter((name) => only.has(name))
      .map((name) => lifecycleTarget(platform, name)),
  ];
  const payouts = small.payouts + (hot?.executed ?? 0);
  const faults = [
    ...(await faultsOf(load, { ...small, payouts }, targets)),
    ...(await checkInvariants(platform)),
  ];
  return {
    ...scenarios,
    ...(hot === undefined ? {} : { hot_account: hot.figures }),
    ...(cold === undefined ? {} : { cold_start: cold }),
    faults,
  };
}

/** The payout service's sweeps, beside few settled payouts and beside many. */
export async function measureIdleSizes(bench: Bench): Promise<Record<string, IdleFigures>> {
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
  await load.call("target", { name, targets: [platform.target], payouts: readable });
  say(`  took ${Math.round((performance.now() - startedAt) / 100) / 10} s`);
  return { platform, payouts, deepCursor };
}

/** Compares a platform with few payouts with one that has many; both end here. */
async function compareSizes(bench: Bench) {
  const { load, options } = bench;
  await using ends = new AsyncDisposableStack();
  const few = await startSized({ ...bench, ends }, "few", options.sizes.small);
  const many = await startSized({ ...bench, ends }, "many", options.sizes.large);
  say("comparing the two sizes");
  await warmUp(load, [few.platform, many.platform], flatNames, options.warmUpSeconds / 2);
  const figures: Record<string, FlatFigures> = await measureFlatness(
    load,
    [few, many],
    options.rounds,
  );
  const faults = [
    ...(await faultsOf(load, few, [few.platform.name])),
    ...(await faultsOf(load, many, [many.platform.name])),
    ...(await checkInvariants(few.platform)),
  ];
  return { figures, faults };
}

async function measureAll(
  bench: Bench,
  platform: BenchPlatform,
  wanted: readonly ((typeof requestNames)[number] | (typeof lifecycleNames)[number])[],
): Promise<MeasuredScenarios> {
  const { backends, load, options } = bench;
  const receiver = await load.call("receiver", undefined);
  const floor = await startFloors(bench, receiver.url);
  const accounts = { lifecycle: 1, merchants: options.merchants };
  for (const name of lifecycleNames.filter((each) => wanted.includes(each))) {
    say(`making the merchants of ${name}`);
    const targets = await createMerchants(platform, accounts[name], receiver.url);
    await load.call("target", { name: lifecycleTarget(platform, name), targets, payouts: [] });
  }
  say("warming up");
  await warmUp(load, [platform], wanted, options.warmUpSeconds);
  await warmUpFloors(load, floor.url, options.warmUpSeconds / 3);
  await untilSettled(platform);
  const services = serviceNames.map((service) => [service, platform.pid(service)] as const);
  const own = { ...Object.fromEntries(services), ...backends.pids };
  const pids = { ...own, load: load.pid, receiver: receiver.pid };
  const idle = await restingCost(() => readUsage(backends.mongo, pids));
  const { mongo } = backends;
  const setup: ScenarioSetup = {
    platform,
    load,
    mongo,
    pids,
    floor,
    idle,
    seconds: options.seconds,
  };
  const scenarios: Record<string, ScenarioFigures> = {};
  for (const scenario of wanted) {
    say(`measuring ${scenario}`);
    scenarios[scenario] =
      scenario === "lifecycle" || scenario === "merchants"
        ? await measureLifecycle(setup, scenario, accounts[scenario])
        : await measureRequests(setup, scenario);
  }
  return { scenarios, memory_mb: mapValues(own, residentMegabytes) };
}

async function startFloors({ backends, ends }: Bench, webhookUrl: string) {
  const database = "bench_floor";
  const floors = startChild<FloorCalls>("load/floor-process.ts");
  ends.defer(floors.stop);
  const served = { uri: backends.mongodbUri(database), database, webhookUrl };
  return { ...(await floors.call("serve", served)), pid: floors.pid };
}

function residentMegabytes(pid: number | undefined): number | null {
  const bytes = pid === undefined ? undefined : residentBytes(pid);
  return bytes === undefined ? null : Math.round(bytes / megabyte);
}

async function restingCost(read: () => Promise<UsageReading>): Promise<Usage> {
  const before = await read();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  return usageBetween(before, await read());
}

/** The executes that the load generator saw succeed, beside the payouts that were seeded. */
async function faultsOf(
  load: Child<LoadCalls>,
  { platform, payouts }: SizedPlatform,
  targets: readonly string[],
): Promise<string[]> {
  const executed = await Promise.all(targets.map((name) => load.call("executed", name)));
  const expected = executed.reduce((sum, count) => sum + count, payouts);
  const faults = await checkMoney(platform, expected);
  return faults.map((fault) => `${platform.name}: ${fault}`);
}

/** How often the services are started anew. */
const coldStarts = 3;

/** Ends the services and starts them again, with nothing compiled or connected. */
async function measureColdStart(
  load: Child<LoadCalls>,
  platform: BenchPlatform,
): Promise<ColdStartFigures> {
  const samples = { ready: [] as number[], quote: [] as number[], execute: [] as number[] };
  const once = { name: platform.name, concurrency: 1, end: { requests: 1 } } as const;
  for (let round = 0; round < coldStarts; round += 1) {
    await platform.stop();
    const startedAt = performance.now();
    await platform.startAll();
    samples.ready.push(performance.now() - startedAt);
    samples.quote.push((await load.call("run", { ...once, scenario: "quote" })).p50_ms);
    samples.execute.push((await load.call("run", { ...once, scenario: "execute" })).p50_ms);
    await untilSettled(platform);
  }
  return {
    ready_ms: rounded(median(samples.ready), 0),
    first_quote_ms: rounded(median(samples.quote), 0),
    first_execute_ms: rounded(median(samples.execute), 0),
  };
}
