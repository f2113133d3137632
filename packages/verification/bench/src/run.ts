import { say } from "@disburse/harness/command-line.ts";
import { serviceNames } from "@disburse/sandbox/service-names.ts";
import type { RestFigures, ScenarioFigures } from "./figures.ts";
import { type Child, startChild } from "./load/child.ts";
import type { LoadCalls } from "./load/load-process.ts";
import type { NaiveCalls } from "./load/naive-process.ts";
import { measureFlatness, measureHotAccount, type SizedPlatform } from "./measures/comparisons.ts";
import { commandTotal, readUsage, type Usage, usageBetween } from "./measures/counters.ts";
import { checkInvariants, checkMoney, untilSettled } from "./measures/money.ts";
import { rounded } from "./measures/percentile.ts";
import {
  concurrency,
  lifecycleNames,
  type MeasuredName,
  mapValues,
  measureScenario,
  scenarioNames,
  targetOf,
  warmUp,
} from "./measures/scenario.ts";
import type { BenchOptions } from "./options.ts";
import type { Backends } from "./platforms/backends.ts";
import { type BenchPlatform, startBenchPlatform } from "./platforms/bench-platform.ts";
import { createMerchants } from "./platforms/merchants.ts";
import { seedPayouts } from "./seeding/seeding.ts";

/** Long enough for every background loop to run often. */
const idleMs = 2_000;

/** What a run of the bench works with. */
export type Bench = {
  readonly backends: Backends;
  readonly options: BenchOptions;
  readonly load: Child<LoadCalls>;
};

/** Measures scenarios and the hot account on one platform, which stops here. */
export async function measurePlatform(bench: Bench) {
  const { load, options } = bench;
  const { only } = options;
  const wanted = scenarioNames.filter((name) => only.has(name));
  if (wanted.length === 0 && !only.has("hot")) return { scenarios: {}, faults: [] };
  await using ends = new AsyncDisposableStack();
  const small = await startSized(bench, ends, "small", options.sizes.small);
  const { platform } = small;
  const measured = wanted.length > 0 ? await measureAll(bench, ends, platform, wanted) : undefined;
  if (only.has("hot")) say("comparing one account with many");
  const hot = only.has("hot")
    ? await measureHotAccount(load, platform, options.seconds)
    : undefined;
  say("checking that money is conserved");
  const lifecycles = lifecycleNames.filter((name) => only.has(name));
  const targets = [platform.name, ...lifecycles.map((name) => targetOf(platform, name))];
  const payouts = small.payouts + (hot?.executed ?? 0);
  const faults = [
    ...(await faultsOf(load, { ...small, payouts }, targets)),
    ...(await checkInvariants(platform)),
  ];
  return {
    scenarios: {},
    ...measured,
    ...(hot === undefined ? {} : { hot_account: hot.figures }),
    faults,
  };
}

/** Compares a platform with few payouts to one with many. Both stop here. */
export async function compareSizes(bench: Bench) {
  const { load, options } = bench;
  await using ends = new AsyncDisposableStack();
  const few = await startSized(bench, ends, "few", options.sizes.small);
  const many = await startSized(bench, ends, "many", options.sizes.large);
  say("comparing the two sizes");
  for (const { platform } of [few, many]) {
    const names = ["quote", "execute", "read", "list"] as const;
    await warmUp(load, platform, names, options.warmUpSeconds / 4);
  }
  const flat = await measureFlatness(load, [few, many], options.rounds);
  const faults = [
    ...(await faultsOf(load, few, [few.platform.name])),
    ...(await faultsOf(load, many, [many.platform.name])),
    ...(await checkInvariants(few.platform)),
  ];
  return { flat, faults };
}

async function startSized(
  { backends, load }: Bench,
  ends: AsyncDisposableStack,
  name: string,
  payouts: number,
): Promise<SizedPlatform> {
  say(`starting a platform with ${payouts} payouts`);
  const platform = await startBenchPlatform(name, backends);
  ends.defer(platform.stop);
  const { readable, deepCursor } = await seedPayouts(platform, payouts);
  await load.call("target", { name, targets: [platform.target], payouts: readable });
  return { platform, payouts, deepCursor };
}

async function measureAll(
  { backends, load, options }: Bench,
  ends: AsyncDisposableStack,
  platform: BenchPlatform,
  wanted: readonly MeasuredName[],
) {
  const { mongo } = backends;
  const receiver = await load.call("receiver", undefined);
  const naiveProcess = startChild<NaiveCalls>("load/naive-process.ts");
  ends.defer(naiveProcess.stop);
  const database = "bench_naive";
  const places = { uri: backends.mongodbUri(database), database, webhookUrl: receiver.url };
  const { url } = await naiveProcess.call("serve", places);
  const merchants = { lifecycle: 1, merchants: options.merchants };
  for (const name of lifecycleNames.filter((each) => wanted.includes(each))) {
    say(`creating the merchants of ${name}`);
    const targets = await createMerchants(platform, merchants[name], receiver.url);
    await load.call("target", { name: targetOf(platform, name), targets, payouts: [] });
  }
  say("warming up");
  await warmUp(load, platform, wanted, options.warmUpSeconds);
  await load.call("naive", {
    url,
    scenario: "lifecycle",
    accounts: 1,
    sizes: { method: "POST", requestBytes: 100, answerBytes: 100 },
    loop: { concurrency, end: { seconds: options.warmUpSeconds / 3 } },
  });
  await untilSettled(platform);
  const services = serviceNames.map((service) => [service, platform.pid(service)] as const);
  const outside = { load: load.pid, receiver: receiver.pid };
  const pids = { ...Object.fromEntries(services), ...backends.pids, ...outside };
  const idle = await measureRest(() => readUsage(mongo, pids));
  const scenarios: Record<string, ScenarioFigures> = {};
  for (const name of wanted) {
    say(`measuring ${name}`);
    scenarios[name] = await measureScenario(
      {
        platform,
        load,
        mongo,
        pids,
        naive: { url, pid: naiveProcess.pid },
        idle,
        seconds: options.seconds,
        merchants: options.merchants,
      },
      name,
    );
  }
  return { scenarios, at_rest: restFigures(idle) };
}

async function measureRest(read: () => ReturnType<typeof readUsage>): Promise<Usage> {
  const before = await read();
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  return usageBetween(before, await read());
}

function restFigures({ cpu, commands, elapsedMs }: Usage): RestFigures {
  return {
    cpu_share: mapValues(cpu, (us) => {
      return us === undefined ? null : rounded(us / 1_000 / elapsedMs, 3);
    }),
    mongo_ops: rounded((commandTotal(commands) * 1_000) / elapsedMs, 1),
  };
}

/** Compares the raw documents with the executes that the load generator saw succeed. */
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
