import { writeCursor } from "@disburse/chassis/page-cursor.ts";
import type { FlatFigures } from "./figures.ts";
import type { LoadClient } from "./load-client.ts";
import { untilSettled } from "./money-check.ts";
import { median, rounded } from "./percentile.ts";
import type { ScenarioName } from "./scenarios.ts";
import type { Stack } from "./stack.ts";

/** A platform with how many payouts it has. */
export type Sized = { readonly stack: Stack; readonly payouts: number };

/** What has to cost the same however many payouts there are, and how often it is asked a round. */
const compared = { list: 120, list_deep: 120, read: 160, execute: 40 } as const;
type Compared = keyof typeof compared;

/** Few at once: a queue would hide what one request costs. */
const concurrency = 2;
/** A page this far from the newest end, as a share of all payouts. */
const deepShare = 0.9;
/** Asked before the rounds, and not counted. */
const warmUpRequests = 100;

/**
 * Asks two platforms of different size the same, in turns, so that what else the machine does falls
 * on both. The figures are medians over the rounds of each round's p50.
 */
export async function measureFlatness(
  load: LoadClient,
  sized: readonly [Sized, Sized],
  rounds: number,
): Promise<Record<Compared, FlatFigures>> {
  const cursors = new Map<Stack, string>();
  for (const { stack, payouts } of sized) cursors.set(stack, await deepCursor(stack, payouts));
  const ask = async (stack: Stack, scenario: ScenarioName, requests: number) => {
    const run = {
      kind: "run",
      name: stack.name,
      scenario,
      concurrency,
      end: { requests },
    } as const;
    return (await load.run({ ...run, cursor: cursors.get(stack) ?? "" })).p50_ms;
  };
  const names = Object.keys(compared) as Compared[];
  for (const { stack } of sized) {
    await ask(stack, "quote", compared.execute * (rounds + 1));
    for (const name of names) await ask(stack, name, Math.min(warmUpRequests, compared[name]));
  }
  const samples = new Map<string, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const inTurn = round % 2 === 0 ? sized : sized.toReversed();
      for (const { stack } of inTurn) {
        const key = `${name} ${stack.name}`;
        const p50 = await ask(stack, name, compared[name]);
        samples.set(key, [...(samples.get(key) ?? []), p50]);
      }
    }
    for (const { stack } of sized) await untilSettled(stack);
  }
  const figures = names.map((name) => {
    const of = ({ stack }: Sized) => median(samples.get(`${name} ${stack.name}`) ?? []);
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

/** The cursor of a page deep down the merchant's list. */
async function deepCursor({ db, merchantId }: Stack, payouts: number): Promise<string> {
  const [found] = await db("payout")
    .collection<{ _id: string; created_at: Date }>("payouts")
    .find({ merchant_id: merchantId })
    .sort({ created_at: -1, _id: -1 })
    .skip(Math.floor(payouts * deepShare) - 1)
    .limit(1)
    .toArray();
  if (found === undefined) throw new Error("there are too few payouts for a deep page");
  return writeCursor({ at: found.created_at, id: found._id });
}
