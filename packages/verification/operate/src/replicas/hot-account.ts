import { callGateway, requestQuote } from "@disburse/platform/merchant.ts";
import { must, type Part } from "./part.ts";
import type { ReplicatedPlatform } from "./platform.ts";

const executes = 120;
/** Accounts over which the compared executes are spread. */
const accountsCount = 20;
/** Number of executes before the measurement, because new processes are slow. */
const warmUps = 8;
/**
 * Number of measurements, alternating between one account and many, so that other load affects
 * both.
 */
const turns = 9;
const slowerMax = 1.25;

/** Returns the milliseconds until all executes are answered. The accounts take turns. */
async function timeOf(
  { payer }: ReplicatedPlatform,
  accountIds: readonly string[],
): Promise<number> {
  const quotes: string[] = [];
  while (quotes.length < executes) {
    const requested = accountIds.map((accountId) =>
      requestQuote({ ...payer, accountId }, payer.beneficiaryId),
    );
    quotes.push(...(await Promise.all(requested)));
  }
  const startedMs = performance.now();
  const answers = await Promise.all(
    quotes
      .slice(0, executes)
      .map((quote_id) => callGateway(payer, "POST", "/transfer/execute", { quote_id })),
  );
  const tookMs = performance.now() - startedMs;
  const refused = answers.find(({ status }) => status !== 200);
  must(refused === undefined, `execute: ${refused?.status} ${refused?.code}`);
  return tookMs;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;

/** Checks that two processes write one account about as fast as separate accounts. */
export const hotAccount: Part = {
  name: "hot-account",
  run: async (platform) => {
    const many: string[] = [];
    while (many.length < accountsCount) many.push(await platform.payer.openAccount("1000000.00"));
    const [one] = many.splice(0, 1);
    const hot = Array.from(many, () => one ?? "");
    for (let turn = 0; turn < warmUps; turn += 1) await timeOf(platform, many);
    const times = { hot: [] as number[], many: [] as number[] };
    for (let turn = 0; turn < turns; turn += 1) {
      times.hot.push(await timeOf(platform, hot));
      times.many.push(await timeOf(platform, many));
    }
    const [hotMs, manyMs] = [median(times.hot), median(times.many)];
    const figure = `${executes} executes: one account ${Math.round(hotMs)} ms, many ${Math.round(manyMs)} ms`;
    must(hotMs <= manyMs * slowerMax, figure);
    await platform.settle();
    return figure;
  },
};
