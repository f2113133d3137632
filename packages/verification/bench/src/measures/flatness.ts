import type { FlatFigures } from "../figures.ts";
import type { Child } from "../load/child.ts";
import type { LoadCalls } from "../load/load-process.ts";
import type { ScenarioName } from "../load/scenarios.ts";
import type { BenchPlatform } from "../platforms/bench-platform.ts";
import { untilSettled } from "./money.ts";
import { median, rounded } from "./percentile.ts";

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
const concurrency = 2;
/** Asked before the rounds, and not counted. */
const warmUpRequests = 40;

/**
 * Asks two platforms of different size the same, in turns, so that what else the machine does falls
 * on both. The figures are medians over the rounds of each round's p50.
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
    const run = { name: platform.name, scenario, cursor, concurrency } as const;
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
        const key = `${name} ${one.platform.name}`;
        const p50 = await request(one, name, compared[name]);
        samples.set(key, [...(samples.get(key) ?? []), p50]);
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
