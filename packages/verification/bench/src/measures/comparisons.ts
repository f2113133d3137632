import { ampleFunds } from "@disburse/platform/platform.ts";
import type { FlatFigures, HotAccountFigures } from "../figures.ts";
import type { Child } from "../load/child.ts";
import type { LoadCalls, LoadResult } from "../load/load-process.ts";
import type { ScenarioName } from "../load/scenarios.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { untilSettled } from "./money.ts";
import { median, rounded } from "./percentile.ts";
import { concurrency } from "./scenario.ts";

/** A platform, its number of payouts, and a place deep in their list. */
export type SizedPlatform = {
  readonly platform: BenchPlatform;
  readonly payouts: number;
  readonly deepCursor: string;
};

/** Requests per round whose cost must not depend on the number of payouts. */
const compared = { list: 80, list_deep: 60, read: 100, execute: 32 } as const;
type Compared = keyof typeof compared;

/** Few at once, because a queue would hide the cost of a request. */
const fewRequests = 2;
/** Sent before the rounds, and not counted. */
const warmUpRequests = 40;

/**
 * Sends the same requests to two platforms of different size, in turns, so that other load on the
 * machine affects both. The figures are medians over the rounds of each round's p50.
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
    const loop = { concurrency: fewRequests, end: { requests } };
    return (await load.call("run", { name: platform.name, scenario, cursor, loop })).p50_ms;
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
  const [small, large] = sized;
  const figures = names.map((name) => {
    const of = ({ platform }: SizedPlatform) =>
      median(samples.get(`${name} ${platform.name}`) ?? []);
    const flat: FlatFigures = {
      [`at_${small.payouts}`]: rounded(of(small), 2),
      [`at_${large.payouts}`]: rounded(of(large), 2),
      ratio: rounded(of(large) / of(small), 2),
    };
    return [name, flat] as const;
  });
  return Object.fromEntries(figures) as Record<Compared, FlatFigures>;
}

/** The number of accounts that the same payouts spread over. */
const accountsMany = 16;
/** The goal: one account keeps this share of the rate of many. */
const ratioMin = 0.8;
/** More than any machine executes in a second. */
const quotesPerSecond = 250;
/** In turns and both orders, so that other load on the machine affects both. */
const turns = ["one", "many", "many", "one"] as const;

type Side = (typeof turns)[number];

/** Compares executes from one account with executes from many; also returns their number. */
export async function measureHotAccount(
  load: Child<LoadCalls>,
  platform: BenchPlatform,
  seconds: number,
): Promise<{ readonly figures: HotAccountFigures; readonly executed: number }> {
  const [hot = "", ...many] = await Promise.all(
    Array.from({ length: 1 + accountsMany }, () => platform.openAccount(ampleFunds)),
  );
  const accounts: Record<Side, readonly string[]> = { one: [hot], many };
  const nameOf = (side: Side) => `${platform.name}, ${side}`;
  for (const side of ["one", "many"] as const) {
    const target = { ...platform.target, accountIds: accounts[side] };
    await load.call("target", { name: nameOf(side), targets: [target], payouts: [] });
  }
  const results: Record<Side, LoadResult[]> = { one: [], many: [] };
  for (const side of turns) {
    const name = nameOf(side);
    const quotes = { concurrency, end: { requests: quotesPerSecond * seconds } };
    await load.call("run", { name, scenario: "quote", loop: quotes });
    const loop = { concurrency, end: { seconds } };
    results[side].push(await load.call("run", { name, scenario: "execute", loop }));
    await untilSettled(platform);
  }
  const rate = (side: Side) => {
    const requests = results[side].reduce((sum, each) => sum + each.requests, 0);
    return requests / results[side].reduce((sum, each) => sum + each.elapsed_ms / 1_000, 0);
  };
  const executed = (side: Side) => load.call("executed", nameOf(side));
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
