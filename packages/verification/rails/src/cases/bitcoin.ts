import { createRandom } from "@disburse/harness/random.ts";
import type { RailCase } from "../case.ts";
import { atTheirEnd, outcomeVerdicts } from "../checks/outcome.ts";
import { whyNoBitcoin } from "../counterparts/bitcoin.ts";
import { crashEverywhere } from "../crashes/crashes.ts";
import { createLoad } from "../load.ts";
import { registerRecipient } from "../recipients.ts";

const settleTimeoutMs = 120_000;
const why = await whyNoBitcoin();

/** Kills the payout service (SIGKILL) in every gap between two steps of a Bitcoin batch. */
export const bitcoinCrashes: RailCase = {
  name: "bitcoin-crashes",
  about: "kill -9 in every gap between two steps of a batch on bitcoind",
  unavailable: () => why,
  run: async function* (world, { perGap, seed }) {
    const load = createLoad(world, await registerRecipient(world, "bitcoin"), 3, 300);
    load.start();
    yield await crashEverywhere(world, {
      folders: /packages\/bitcoin-rail\//,
      steps: /^rpc (?:sendrawtransaction|gettransaction)/,
      calls: 2,
      rounds: perGap,
      random: createRandom(seed),
      // A batch waits for others, and for blocks.
      withinMs: 30_000,
      gapsMax: Number.POSITIVE_INFINITY,
    });
    await load.drain();
    const known = { times: () => 0, returned: () => 0, confirms: true };
    const ended = await atTheirEnd(world, load, known, settleTimeoutMs);
    const payments = (await world.bitcoin?.payments()) ?? [];
    const counts = Map.groupBy(payments, ({ satoshi }) => satoshi);
    yield* outcomeVerdicts(ended, load, {
      // Counts payments by amount, because each payout has a unique amount.
      times: ({ minor }) => counts.get(minor)?.length ?? 0,
      returned: () => 0,
      confirms: true,
      sum: payments.reduce((sum, { satoshi }) => sum + satoshi, 0n),
    });
    yield* booksVerdict(world);
  },
};

/** The rail account equals the wallet: fees are booked as charges of the platform. */
async function* booksVerdict({ platform, bitcoin }: Parameters<RailCase["run"]>[0]) {
  if (bitcoin === undefined) return;
  const rail = bitcoin.settings.rail;
  const day = new Date().toISOString().slice(0, 10);
  const asked = { rail, currencyCode: "BTC", day };
  const { report } = await platform.clients.operations.getRailReport(asked);
  const [booked, chain] = [Number(report?.closing), await bitcoin.balance()];
  const isEqual = Math.round(booked * 1e8) === Math.round(chain * 1e8);
  yield {
    name: "the rail account is the wallet's balance",
    problems: isEqual ? [] : [`${booked} BTC in our books, ${chain} BTC in the wallet`],
    figures: `${chain} BTC, ${report?.charges} BTC of fees`,
  };
}
