import { ampleFunds } from "@disburse/platform/platform.ts";
import type { HotAccountFigures } from "../figures.ts";
import type { Child } from "../load/child.ts";
import type { LoadCalls, LoadResult } from "../load/load-process.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { untilSettled } from "./money.ts";
import { rounded } from "./percentile.ts";
import { concurrency } from "./scenario.ts";

/** Over so many accounts the same payouts are spread. */
const accountsMany = 16;
/** What one account may cost at most: the share of the others' rate that it keeps (the goal). */
const ratioMin = 0.8;
/** More than any machine executes in a second. */
const quotesPerSecond = 250;
/** In turns, and the other way round each time: what else the machine does falls on both. */
const orders = [
  ["one", "many"],
  ["many", "one"],
] as const;

type Side = (typeof orders)[number][number];

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
    await load.call("target", { name: name(side), target, payouts: [] });
  }
  const results: Record<Side, LoadResult[]> = { one: [], many: [] };
  for (const side of orders.flat()) {
    const run = { name: name(side), cursor: "", concurrency } as const;
    const requests = quotesPerSecond * seconds;
    await load.call("run", { ...run, scenario: "quote", end: { requests } });
    results[side].push(await load.call("run", { ...run, scenario: "execute", end: { seconds } }));
    await untilSettled(platform);
  }
  const rate = (side: Side) => {
    const requests = results[side].reduce((sum, each) => sum + each.requests, 0);
    return requests / results[side].reduce((sum, each) => sum + each.elapsed_ms / 1_000, 0);
  };
  const executed = (side: Side) => results[side].at(-1)?.executed ?? 0;
  return {
    figures: {
      one_per_s: rounded(rate("one"), 1),
      many_per_s: rounded(rate("many"), 1),
      accounts: accountsMany,
      ratio: rounded(rate("one") / rate("many"), 3),
      ratio_min: ratioMin,
    },
    executed: executed("one") + executed("many"),
  };
}
