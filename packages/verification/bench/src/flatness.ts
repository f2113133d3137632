import type { BenchPlatform } from "./bench-platform.ts";
import type { FlatFigures } from "./figures.ts";
import type { LoadClient } from "./load-client.ts";
import { untilSettled } from "./money-check.ts";
import { median, rounded } from "./percentile.ts";
import type { ScenarioName } from "./scenarios.ts";

/** A platform with how many payouts it has, and a place deep down their list. */
export type Sized = {
  readonly platform: BenchPlatform;
  readonly payouts: number;
  readonly deepCursor: string;
};

/** What has to cost the same however many payouts there are, and how often it is asked a round. */
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
  load: LoadClient,
  sized: readonly [Sized, Sized],
  rounds: number,
): Promise<Record<Compared, FlatFigures>> {
  const ask = async (
    { platform, deepCursor: cursor }: Sized,
    scenario: ScenarioName,
    requests: number,
  ) => {
    const run = { kind: "run", name: platform.name, scenario, cursor, concurrency } as const;
    return (await load.run({ ...run, end: { requests } })).p50_ms;
  };
  const names = Object.keys(compared) as Compared[];
  for (const one of sized) {
    await ask(one, "quote", compared.execute * (rounds + 1));
    for (const name of names) await ask(one, name, Math.min(warmUpRequests, compared[name]));
  }
  const samples = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const inTurn = round % 2 === 0 ? sized : sized.toReversed();
      for (const one of inTurn) {
        const key = `${name} ${one.platform.name}`;
        const p50 = await ask(one, name, compared[name]);
        samples.set(key, [...(samples.get(key) ?? []), p50]);
      }
    }
    for (const { platform } of sized) await untilSettled(platform);
  }
  const figures = names.map((name) => {
    const of = ({ platform }: Sized) => median(samples.get(`${name} ${platform.name}`) ?? []);
    return [name, flatFigures(sized, sized.map(of))] as const;
  });
  return Object.fromEntries(figures) as Record<Compared, FlatFigures>;
}

function flatFigures([small, large]: readonly [Sized, Sized], medians: number[]): FlatFigures {
  const [few = 0, many = 0] = medians;
  return {
    [`at_${small.payouts}`]: rounded(few, 2),
    [`at_${large.payouts}`]: rounded(many, 2),
    ratio: rounded(many / few, 2),
  };
}
