import { setTimeout as pause } from "node:timers/promises";
import { ampleFunds } from "@disburse/platform/platform.ts";
import type { MongoClient } from "mongodb";
import type { FlatFigures, HotAccountFigures, IdleFigures } from "../figures.ts";
import type { Child } from "../load/child.ts";
import type { LoadCalls, LoadResult } from "../load/load-process.ts";
import type { ScenarioName } from "../load/scenarios.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { commandTotal, readUsage, usageBetween } from "./counters.ts";
import { untilSettled } from "./money.ts";
import { median, rounded } from "./percentile.ts";
import { concurrency } from "./scenario.ts";

/** A platform with how many payouts it has, and a place deep down their list. */
export type SizedPlatform = {
  readonly platform: BenchPlatform;
  readonly payouts: number;
  readonly deepCursor: string;
};

/** What has to cost the same however many payouts there are, and how many requests a round. */
const compared = { list: 80, list_deep: 60, read: 100, execute: 32 } as const;
type Compared = keyof typeof compared;

/** Few at once: a queue would hide what one request costs. */
const fewRequests = 2;
/** Sent before the rounds, and not counted. */
const warmUpRequests = 40;

/**
 * Requests the same of two platforms of different size, in turns, so that what else the machine
 * does falls on both. The figures are medians over the rounds of each round's p50.
 */
export async function measureFlatness(
  load: Child<LoadCalls>,
  sized: readonly [SizedPlatform, SizedPlatform],
  rounds: number,
): Promise<Record<Compared, FlatFigures>> {
  const request = async (
    { platform, deepCursor: cursor }: SizedPlatform,
    scenario: ScenarioName,
    requests: number,
  ) => {
    const run = { name: platform.name, scenario, cursor, concurrency: fewRequests } as const;
    return (await load.call("run", { ...run, end: { requests } })).p50_ms;
  };
  const names = Object.keys(compared) as Compared[];
  for (const one of sized) {
    await request(one, "quote", compared.execute * (rounds + 1));
    for (const name of names) await request(one, name, Math.min(warmUpRequests, compared[name]));
  }
  const samples = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const inTurn = round % 2 === 0 ? sized : sized.toReversed();
      for (const one of inTurn) {
        const p50 = await request(one, name, compared[name]);
        samples.getOrInsert(`${name} ${one.platform.name}`, []).push(p50);
      }
    }
    for (const { platform } of sized) await untilSettled(platform);
  }
  const figures = names.map((name) => {
    const of = ({ platform }: SizedPlatform) =>
      median(samples.get(`${name} ${platform.name}`) ?? []);
    return [name, flatFigures(sized, sized.map(of))] as const;
  });
  return Object.fromEntries(figures) as Record<Compared, FlatFigures>;
}

function flatFigures(
  [small, large]: readonly [SizedPlatform, SizedPlatform],
  medians: number[],
): FlatFigures {
  const [few = 0, many = 0] = medians;
  return {
    [`at_${small.payouts}`]: rounded(few, 2),
    [`at_${large.payouts}`]: rounded(many, 2),
    ratio: rounded(many / few, 2),
  };
}

/** Over so many accounts the same payouts are spread. */
const accountsMany = 16;
/** What one account may cost at most: the share of the others' rate that it keeps (the goal). */
const ratioMin = 0.8;
/** More than any machine executes in a second. */
const quotesPerSecond = 250;
/** In turns, and the other way round each time: what else the machine does falls on both. */
const turns = ["one", "many", "many", "one"] as const;

type Side = (typeof turns)[number];

/** Executes from one account beside executes from many, in turns; and how many there were. */
export async function measureHotAccount(
  load: Child<LoadCalls>,
  platform: BenchPlatform,
  seconds: number,
): Promise<{ readonly figures: HotAccountFigures; readonly executed: number }> {
  const [hot = "", ...many] = await Promise.all(
    Array.from({ length: 1 + accountsMany }, () => platform.openAccount(ampleFunds)),
  );
  const accounts: Record<Side, readonly string[]> = { one: [hot], many };
  const name = (side: Side) => `${platform.name}, ${side}`;
  for (const side of ["one", "many"] as const) {
    const target = { ...platform.target, accountIds: accounts[side] };
    await load.call("target", { name: name(side), targets: [target], payouts: [] });
  }
  const results: Record<Side, LoadResult[]> = { one: [], many: [] };
  for (const side of turns) {
    const run = { name: name(side), concurrency } as const;
    const requests = quotesPerSecond * seconds;
    await load.call("run", { ...run, scenario: "quote", end: { requests } });
    results[side].push(await load.call("run", { ...run, scenario: "execute", end: { seconds } }));
    await untilSettled(platform);
  }
  const rate = (side: Side) => {
    const requests = results[side].reduce((sum, each) => sum + each.requests, 0);
    return requests / results[side].reduce((sum, each) => sum + each.elapsed_ms / 1_000, 0);
  };
  const executed = (side: Side) => load.call("executed", name(side));
  return {
    figures: {
      one_per_s: rounded(rate("one"), 1),
      many_per_s: rounded(rate("many"), 1),
      accounts: accountsMany,
      ratio: rounded(rate("one") / rate("many"), 3),
      ratio_min: ratioMin,
    },
    executed: (await executed("one")) + (await executed("many")),
  };
}

const minuteMs = 60_000;
/** What the engine does of itself after so much was written: checkpoints, eviction. */
const restMs = 20_000;

/** What a platform costs that has nothing to do, by the minute. */
export async function measureIdle(
  platform: BenchPlatform,
  mongo: MongoClient,
  enginePid: number | undefined,
  seconds: number,
): Promise<IdleFigures> {
  const pids = { payout: platform.pid("payout"), engine: enginePid };
  await untilSettled(platform);
  await pause(Math.min(restMs, seconds * 1_000));
  const before = await readUsage(mongo, pids);
  const examinedBefore = await readExamined(mongo);
  await pause(seconds * 1_000);
  const { cpu, commands, elapsedMs } = usageBetween(before, await readUsage(mongo, pids));
  const examined = await readExamined(mongo);
  const perMinute = (amount: number) => rounded((amount * minuteMs) / elapsedMs, 1);
  const cpuMs = (used: number | undefined) => (used === undefined ? null : perMinute(used / 1_000));
  return {
    payout_cpu_ms: cpuMs(cpu.payout),
    engine_cpu_ms: cpuMs(cpu.engine),
    mongo_ops: perMinute(commandTotal(commands)),
    keys_examined: perMinute(examined.keys - examinedBefore.keys),
    documents_examined: perMinute(examined.documents - examinedBefore.documents),
  };
}

/** The engine counts what it reads to answer: load beside the bench does not show in it. */
async function readExamined(mongo: MongoClient) {
  const { metrics } = await mongo.db("admin").command({ serverStatus: 1 });
  const { scanned, scannedObjects } = metrics.queryExecutor;
  return { keys: Number(scanned), documents: Number(scannedObjects) };
}
