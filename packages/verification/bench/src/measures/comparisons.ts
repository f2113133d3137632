import { type LoadResult, runLoad } from "../load/run.ts";
import { type LoadState, newLoadState, type ScenarioName } from "../load/scenarios.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { openFundedAccount } from "../platforms/merchants.ts";
import { untilSettled } from "./money.ts";
import { median, rounded } from "./percentile.ts";
import { concurrency } from "./scenario.ts";

export type FlatFigures = Awaited<ReturnType<typeof measureFlatness>>[Compared];

/** A platform with its merchants and number of seeded payouts. */
export type SizedPlatform = {
  readonly platform: BenchPlatform;
  readonly state: LoadState;
  readonly payouts: number;
};

const compared = { list: 80, read: 100, execute: 32 } as const;
type Compared = keyof typeof compared;

/** Allowed slowdown of a request beside many payouts. */
const flatWithin = 1.3;
/** Low concurrency, because a queue would hide a request's cost. */
const fewRequests = 2;
const warmUpRequests = 40;

/**
 * Sends the same requests to two platforms of different size, alternating, so that other load
 * affects both. Returns medians over the rounds of each round's p50.
 */
export async function measureFlatness(few: SizedPlatform, many: SizedPlatform, rounds: number) {
  const request = async ({ state }: SizedPlatform, scenario: ScenarioName, requests: number) => {
    const pace = { concurrency: fewRequests, end: { requests } };
    return (await runLoad(state, scenario, pace)).figures.p50_ms;
  };
  const names = Object.keys(compared) as Compared[];
  for (const one of [few, many]) {
    await request(one, "quote", compared.execute * (rounds + 1));
    for (const name of names) await request(one, name, Math.min(warmUpRequests, compared[name]));
  }
  const samples = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      for (const one of round % 2 === 0 ? [few, many] : [many, few]) {
        const p50 = await request(one, name, compared[name]);
        samples.getOrInsert(`${name} ${one.payouts}`, []).push(p50);
      }
    }
    for (const { platform } of [few, many]) await untilSettled(platform.databases);
  }
  const figures = names.map((name) => {
    const of = ({ payouts }: SizedPlatform) => median(samples.get(`${name} ${payouts}`) ?? []);
    const ratio = rounded(of(many) / of(few), 2);
    return [
      name,
      {
        few: few.payouts,
        many: many.payouts,
        few_p50_ms: rounded(of(few), 2),
        many_p50_ms: rounded(of(many), 2),
        ratio,
        is_flat: ratio <= flatWithin,
      },
    ] as const;
  });
  return Object.fromEntries(figures) as Record<Compared, (typeof figures)[number][1]>;
}

/** Accounts over which the same payouts are spread. */
const accountsMany = 16;
/** Required rate of one account, relative to many. */
const ratioMin = 0.8;
/** Exceeds any machine's rate of executes. */
const quotesPerSecond = 250;
/** Alternates in both orders, so that other load on the machine affects both. */
const turns = ["one", "many", "many", "one"] as const;

type Side = (typeof turns)[number];

export type HotAccountFigures = Awaited<ReturnType<typeof measureHotAccount>>["figures"];

/**
 * Compares executes from one account with executes from many. Also returns the number of executes.
 */
export async function measureHotAccount(
  { platform, state }: Pick<SizedPlatform, "platform" | "state">,
  seconds: number,
) {
  const [target] = state.targets;
  const open = () => openFundedAccount(platform, target.merchantId);
  const [hot = "", ...many] = await Promise.all(Array.from({ length: 1 + accountsMany }, open));
  const withAccounts = (accountIds: readonly string[]) => {
    const [first = target, ...others] = accountIds.map((accountId) => ({ ...target, accountId }));
    return newLoadState([first, ...others]);
  };
  const states: Record<Side, LoadState> = { one: withAccounts([hot]), many: withAccounts(many) };
  const results: Record<Side, LoadResult[]> = { one: [], many: [] };
  for (const side of turns) {
    const quotes = { concurrency, end: { requests: quotesPerSecond * seconds } };
    await runLoad(states[side], "quote", quotes);
    const pace = { concurrency, end: { seconds } };
    results[side].push(await runLoad(states[side], "execute", pace));
    await untilSettled(platform.databases);
  }
  const rate = (side: Side) => {
    const requests = results[side].reduce((sum, each) => sum + each.figures.requests, 0);
    return requests / results[side].reduce((sum, each) => sum + each.elapsedMs / 1_000, 0);
  };
  return {
    figures: {
      one_per_s: rounded(rate("one"), 1),
      many_per_s: rounded(rate("many"), 1),
      accounts: accountsMany,
      ratio: rounded(rate("one") / rate("many"), 3),
      ratio_min: ratioMin,
    },
    executed: states.one.executed + states.many.executed,
  };
}
