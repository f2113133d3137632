import { say } from "@disburse/harness/command-line.ts";
import { startChild } from "./load/child.ts";
import { startLifecycleReceiver } from "./load/receiver.ts";
import { runNaive } from "./load/run.ts";
import { type LoadState, newLoadState } from "./load/scenarios.ts";
import { measureBatch } from "./measures/batch.ts";
import { measureFlatness, measureHotAccount, type SizedPlatform } from "./measures/comparisons.ts";
import { restFigures } from "./measures/cost.ts";
import { lessUsage, readUsage } from "./measures/counters.ts";
import { moneyFaults, untilSettled } from "./measures/money.ts";
import {
  concurrency,
  type MeasuredName,
  measureScenario,
  type ScenarioFigures,
  scenarioNames,
  warmUp,
} from "./measures/scenario.ts";
import type { BenchOptions } from "./options.ts";
import type { Backends } from "./platforms/backends.ts";
import { type BenchPlatform, startBenchPlatform } from "./platforms/bench-platform.ts";
import { createMerchants } from "./platforms/merchants.ts";
import { seedPayouts } from "./seeding/seeding.ts";
import { measureBacklog } from "./webhooks/backlog.ts";

type Bench = { readonly backends: Backends; readonly options: BenchOptions };

/** Measures many merchants with history on a new platform, then stops it. */
export async function measureHistory(bench: Bench) {
  const { backends, options } = bench;
  const { merchants, history } = options;
  await using ends = new AsyncDisposableStack();
  const { url, close } = await startLifecycleReceiver();
  ends.defer(close);
  say(`starting a platform with ${merchants} merchants, each with ${history} payouts`);
  const platform = await startBenchPlatform("history", backends, ends);
  const targets = await createMerchants(platform, merchants, url);
  await seedPayouts(platform, targets, history);
  const state = newLoadState(targets);
  const measured = await measureAll(bench, ends, url, [["merchants", state]], platform);
  say("checking that money is conserved");
  const expected = merchants * history + state.executed;
  return {
    scenarios: measured.scenarios,
    history: { merchants, payouts_each: history, at_rest: measured.at_rest },
    faults: await moneyFaults(platform.databases, expected),
  };
}

/** Measures the other scenarios, the hot account and webhooks on a new platform, then stops it. */
export async function measurePlatform(bench: Bench) {
  const { backends, options } = bench;
  const { only, sizes } = options;
  await using ends = new AsyncDisposableStack();
  const { url, close } = await startLifecycleReceiver();
  ends.defer(close);
  const small = await startSized(bench, ends, "small", sizes.small);
  const { platform } = small;
  const lifecycles = newLoadState(await createMerchants(platform, 1, url));
  const names = scenarioNames.filter((name) => only.has(name) && name !== "merchants");
  const wanted = names.map((name) => {
    return [name, name === "lifecycle" ? lifecycles : small.state] as const;
  });
  const measured = wanted.length > 0 && (await measureAll(bench, ends, url, wanted, platform));
  if (only.has("hot")) say("comparing one account with many");
  const hot = only.has("hot") ? await measureHotAccount(small, options.seconds) : undefined;
  say("checking that money is conserved");
  const executed = small.state.executed + lifecycles.executed + (hot?.executed ?? 0);
  const faults = await moneyFaults(platform.databases, small.payouts + executed);
  const backlog = only.has("webhooks")
    ? await measureBacklog(platform, backends.amqpUrl, options.backlog)
    : undefined;
  return {
    ...(measured || { scenarios: {} }),
    ...(hot !== undefined && { hot_account: hot.figures }),
    ...(backlog !== undefined && { webhooks: backlog.webhooks }),
    faults,
    webhookFaults: backlog?.faults ?? [],
  };
}

/** Measures one large batch on a new platform, then stops it. */
export async function measureOneBatch({ backends, options }: Bench) {
  await using ends = new AsyncDisposableStack();
  const platform = await startBenchPlatform("batch", backends, ends);
  const [target] = await createMerchants(platform, 1);
  const batches = await measureBatch(platform, target, options.lines);
  say("checking that money is conserved");
  return { batches, faults: await moneyFaults(platform.databases, batches.executed) };
}

/** Compares platforms with few and many payouts, then stops both. */
export async function compareSizes(bench: Bench) {
  const { options } = bench;
  await using ends = new AsyncDisposableStack();
  const few = await startSized(bench, ends, "few", options.sizes.small);
  const many = await startSized(bench, ends, "many", options.sizes.large);
  say("comparing the two sizes");
  for (const { state } of [few, many]) {
    await warmUp(state, ["quote", "execute", "read", "list"], options.warmUpSeconds / 4);
  }
  const flat = await measureFlatness(few, many, options.rounds);
  const faultsOf = ({ platform, payouts, state }: SizedPlatform) =>
    moneyFaults(platform.databases, payouts + state.executed);
  return { flat, faults: [...(await faultsOf(few)), ...(await faultsOf(many))] };
}

async function startSized(
  { backends }: Bench,
  ends: AsyncDisposableStack,
  name: string,
  payouts: number,
): Promise<SizedPlatform> {
  say(`starting a platform with ${payouts} payouts`);
  const platform = await startBenchPlatform(name, backends, ends);
  const targets = await createMerchants(platform, 1);
  const readable = await seedPayouts(platform, targets, payouts);
  return { platform, payouts, state: newLoadState(targets, readable) };
}

async function measureAll(
  { backends, options }: Bench,
  ends: AsyncDisposableStack,
  webhookUrl: string,
  wanted: readonly (readonly [MeasuredName, LoadState])[],
  platform: BenchPlatform,
) {
  const database = `bench_naive_${platform.name}`;
  const job = { uri: backends.mongodbUri(database), database, webhookUrl };
  const naive = await startChild("load/naive-process.ts", job);
  ends.defer(naive.stop);
  say("warming up");
  const warmUpSeconds = options.warmUpSeconds / wanted.length;
  for (const [name, state] of wanted) await warmUp(state, [name], warmUpSeconds);
  const sizes = { isGet: false, requestBytes: 100, answerBytes: 100 };
  const pace = { concurrency, end: { seconds: options.warmUpSeconds / 3 } };
  await runNaive({ url: naive.url, scenario: "lifecycle", accounts: 1, sizes }, pace);
  await untilSettled(platform.databases);
  const rest = await measureRest(platform, options.restSeconds);
  const scenarios: Record<string, ScenarioFigures> = {};
  for (const [name, state] of wanted) {
    say(`measuring ${name}`);
    const { seconds, lifecycleSeconds } = options;
    const times = { seconds, lifecycleSeconds };
    scenarios[name] = await measureScenario({ platform, state, naive, rest, ...times }, name);
  }
  return { scenarios, at_rest: restFigures(rest) };
}

/** Measures the work of a platform and its engine without requests. */
async function measureRest({ mongo, pids }: BenchPlatform, seconds: number) {
  const before = await readUsage(mongo, pids);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  return lessUsage(await readUsage(mongo, pids), before);
}
