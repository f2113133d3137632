import { availableParallelism } from "node:os";
import { type Reading, type Spent, spentBetween, takeReading } from "./counters.ts";
import type { BenchFigures, FlatFigures, ScenarioFigures } from "./figures.ts";
import { measureFlatness, type Sized } from "./flatness.ts";
import { startFloor } from "./floor-client.ts";
import { type LoadClient, startLoadGenerator } from "./load-client.ts";
import { checkMoney, untilSettled } from "./money-check.ts";
import type { BenchOptions } from "./options.ts";
import { concurrency, type Measuring, measureScenario } from "./scenario-measurement.ts";
import type { ScenarioName } from "./scenarios.ts";
import { seedPayouts } from "./seeding.ts";
import { type Ground, type Stack, startStack } from "./stack.ts";

/** What a list, a read and an execute may cost more at the large size (the project's own bound). */
const flatWithin = 1.3;
/** Long enough for every background loop to come round often. */
const idleMs = 2_000;
/** In this order: an execute needs quotes, a read payouts. */
const scenarioNames = ["quote", "execute", "read", "list", "beneficiary"] as const;

/** What a bench runs on; processes that are none of ours have no pid here. */
export type BenchGround = Ground & {
  readonly pids: Readonly<Record<"engine" | "broker", number | undefined>>;
};

type Bench = {
  readonly ground: BenchGround;
  readonly options: BenchOptions;
  readonly load: LoadClient;
  readonly say: (line: string) => void;
  /** Ended last to first, whatever happens. */
  readonly ends: (() => Promise<void>)[];
};

/** Runs the whole bench; what is wrong with the money, if anything, stands in `faults`. */
export async function runBench(
  ground: BenchGround,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<{ readonly figures: BenchFigures; readonly faults: readonly string[] }> {
  const startedAt = performance.now();
  const load = startLoadGenerator();
  const bench: Bench = { ground, options, load, say, ends: [load.stop] };
  try {
    const small = await startSized(bench, "small", options.sizes.small);
    const flat = options.only.has("flat") ? await compareSizes(bench, small) : undefined;
    const wanted = scenarioNames.filter((name) => options.only.has(name));
    const scenarios = wanted.length > 0 ? await measureAll(bench, small.stack, wanted) : {};
    say("checking that money is conserved");
    const faults = [...(await faultsOf(load, small)), ...(flat?.faults ?? [])];
    const figures: BenchFigures = {
      seconds_in_all: Math.round((performance.now() - startedAt) / 1_000),
      cpus: availableParallelism(),
      concurrency,
      scenarios,
      flat: flat?.figures ?? {},
      flat_within: flatWithin,
      money_conserved: faults.length === 0,
    };
    return { figures, faults };
  } finally {
    for (const end of bench.ends.toReversed()) await end();
  }
}

async function startSized(bench: Bench, name: string, payouts: number): Promise<Sized> {
  const { ground, load, say, ends } = bench;
  say(`starting a platform with ${payouts} payouts`);
  const startedAt = performance.now();
  const stack = await startStack(name, ground);
  ends.push(stack.stop);
  const { readable, deepCursor } = await seedPayouts(stack, payouts);
  await load.run({ kind: "target", name, target: stack.target, payouts: readable });
  say(`  took ${Math.round((performance.now() - startedAt) / 100) / 10} s`);
  return { stack, payouts, deepCursor };
}

/** Compares the small platform with a large one, which ends here. */
async function compareSizes(bench: Bench, small: Sized) {
  const { load, options, say, ends } = bench;
  const large = await startSized(bench, "large", options.sizes.large);
  say("comparing the two sizes");
  await warmUp(bench, [small.stack, large.stack], options.warmUpSeconds / 2);
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
  stack: Stack,
  wanted: readonly ScenarioName[],
): Promise<Record<string, ScenarioFigures>> {
  const { ground, load, options, say, ends } = bench;
  const { mongo } = ground;
  const floorStart = { uri: ground.mongodbUri("bench_floor"), database: "bench_floor" };
  const floor = await startFloor(floorStart);
  ends.push(floor.stop);
  say("warming up");
  await warmUp(bench, [stack], options.warmUpSeconds);
  await untilSettled(stack);
  const pids = { ...stack.pids, ...ground.pids, load: load.pid };
  const idle = await restingCost(() => takeReading(mongo, pids));
  const measuring: Measuring = { stack, load, mongo, pids, floor, idle, seconds: options.seconds };
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
async function warmUp({ load }: Bench, stacks: readonly Stack[], seconds: number): Promise<void> {
  const runs = stacks.flatMap(({ name }) => scenarioNames.map((scenario) => ({ name, scenario })));
  const end = { seconds: seconds / runs.length };
  for (const { name, scenario } of runs) {
    await load.run({ kind: "run", name, scenario, cursor: "", concurrency, end });
  }
}

/** The executes that the load generator saw succeed, beside the payouts that were seeded. */
async function faultsOf(load: LoadClient, { stack, payouts }: Sized): Promise<string[]> {
  const none = { kind: "run", scenario: "read", cursor: "", concurrency: 1 } as const;
  const { executed } = await load.run({ ...none, name: stack.name, end: { requests: 0 } });
  const faults = await checkMoney(stack, payouts + executed);
  return faults.map((fault) => `${stack.name}: ${fault}`);
}
