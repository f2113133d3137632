import { availableParallelism } from "node:os";
import { type ServiceName, serviceNames } from "@disburse/sandbox/environments.ts";
import type { Backends } from "./backends.ts";
import { type BenchPlatform, startBenchPlatform } from "./bench-platform.ts";
import { type Reading, type Spent, spentBetween, takeReading } from "./counters.ts";
import type { BenchFigures, FlatFigures, IdleFigures, ScenarioFigures } from "./figures.ts";
import { measureFlatness, type Sized } from "./flatness.ts";
import { startFloor } from "./floor-client.ts";
import { measureHotAccount } from "./hot-account.ts";
import { measureIdle } from "./idle-cost.ts";
import { type LoadClient, startLoadGenerator } from "./load-client.ts";
import { checkInvariants, checkMoney, untilSettled } from "./money-check.ts";
import type { BenchOptions } from "./options.ts";
import { concurrency, type Measuring, measureScenario } from "./scenario-measurement.ts";
import type { ScenarioName } from "./scenarios.ts";
import { seedPayouts } from "./seeding.ts";

/** What a list, a read and an execute may cost more at the large size (the project's own bound). */
const flatWithin = 1.3;
/** Long enough for every background loop to come round often. */
const idleMs = 2_000;
/** In this order: an execute needs quotes, a read payouts. */
const scenarioNames = ["quote", "execute", "read", "list", "beneficiary"] as const;

type Bench = {
  readonly backends: Backends;
  readonly options: BenchOptions;
  readonly load: LoadClient;
  readonly say: (line: string) => void;
  /** Ended last to first, whatever happens. */
  readonly ends: (() => Promise<void>)[];
};

/** Runs the whole bench; what is wrong with the money, if anything, stands in `faults`. */
export async function runBench(
  backends: Backends,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<{ readonly figures: BenchFigures; readonly faults: readonly string[] }> {
  const startedAt = performance.now();
  const load = startLoadGenerator();
  const bench: Bench = { backends, options, load, say, ends: [load.stop] };
  try {
    const idle = options.only.has("idle") ? await measureIdleSizes(bench) : {};
    const asked = await measureAsked(bench);
    const { faults = [], ...measured } = asked ?? { scenarios: {}, flat: {} };
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
  } finally {
    for (const end of bench.ends.toReversed()) await end();
  }
}

/** All but what a platform does when nobody asks; undefined where that alone is wanted. */
async function measureAsked(bench: Bench) {
  const { backends, load, options, say } = bench;
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
    ...(await checkInvariants(small.platform, backends.mongo)),
    ...(flat?.faults ?? []),
  ];
  const hotFigures = hot === undefined ? {} : { hot_account: hot.figures };
  return { scenarios, flat: flat?.figures ?? {}, ...hotFigures, faults };
}

/** The payout service's sweeps, beside few settled payouts and beside many. */
async function measureIdleSizes(bench: Bench): Promise<Record<string, IdleFigures>> {
  const { backends, options, say, ends } = bench;
  const figures: Record<string, IdleFigures> = {};
  for (const payouts of options.idle.sizes) {
    const { platform } = await startSized(bench, `idle${payouts}`, payouts, ["payout"]);
    say(`measuring what it does for ${options.idle.seconds} s`);
    const { engine } = backends.pids;
    const { seconds } = options.idle;
    figures[`at_${payouts}`] = await measureIdle(platform, backends.mongo, engine, seconds);
    await ends.pop()?.();
  }
  return figures;
}

async function startSized(
  bench: Bench,
  name: string,
  payouts: number,
  services?: readonly ServiceName[],
): Promise<Sized> {
  const { backends, load, say, ends } = bench;
  say(`starting a platform with ${payouts} payouts`);
  const startedAt = performance.now();
  const platform = await startBenchPlatform(name, backends);
  ends.push(platform.stop);
  const { readable, deepCursor } = await seedPayouts(platform, payouts, services);
  await load.run({ kind: "target", name, target: platform.target, payouts: readable });
  say(`  took ${Math.round((performance.now() - startedAt) / 100) / 10} s`);
  return { platform, payouts, deepCursor };
}

/** Compares the small platform with a large one, which ends here. */
async function compareSizes(bench: Bench, small: Sized) {
  const { load, options, say, ends } = bench;
  const large = await startSized(bench, "large", options.sizes.large);
  say("comparing the two sizes");
  await warmUp(bench, [small.platform, large.platform], options.warmUpSeconds / 2);
  const figures: Record<string, FlatFigures> = await measureFlatness(
    load,
    [small, large],
    options.rounds,
  );
  const faults = await faultsOf(load, large);
  await ends.pop()?.();
  return { figures, faults };
}

async function measureAll(
  bench: Bench,
  platform: BenchPlatform,
  wanted: readonly ScenarioName[],
): Promise<Record<string, ScenarioFigures>> {
  const { backends, load, options, say, ends } = bench;
  const { mongo } = backends;
  const floorStart = { uri: backends.mongodbUri("bench_floor"), database: "bench_floor" };
  const floor = await startFloor(floorStart);
  ends.push(floor.stop);
  say("warming up");
  await warmUp(bench, [platform], options.warmUpSeconds);
  await untilSettled(platform);
  const services = serviceNames.map((service) => [service, platform.pid(service)] as const);
  const pids = { ...Object.fromEntries(services), ...backends.pids, load: load.pid };
  const idle = await restingCost(() => takeReading(mongo, pids));
  const measuring: Measuring = {
    platform,
    load,
    mongo,
    pids,
    floor,
    idle,
    seconds: options.seconds,
  };
  const figures: Record<string, ScenarioFigures> = {};
  for (const scenario of wanted) {
    say(`measuring ${scenario}`);
    figures[scenario] = await measureScenario(measuring, scenario);
  }
  return figures;
}

async function restingCost(read: () => Promise<Reading>): Promise<Spent> {
  const before = await read();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  return spentBetween(before, await read());
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
    await load.run({ kind: "run", name, scenario, cursor: "", concurrency, end });
  }
}

/** The executes that the load generator saw succeed, beside the payouts that were seeded. */
async function faultsOf(load: LoadClient, { platform, payouts }: Sized): Promise<string[]> {
  const none = { kind: "run", scenario: "read", cursor: "", concurrency: 1 } as const;
  const { executed } = await load.run({ ...none, name: platform.name, end: { requests: 0 } });
  const faults = await checkMoney(platform, payouts + executed);
  return faults.map((fault) => `${platform.name}: ${fault}`);
}
