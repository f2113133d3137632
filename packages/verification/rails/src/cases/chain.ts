import { createRandom } from "@disburse/harness/random.ts";
import type { RailCase } from "../case.ts";
import { atTheirEnd, outcomeVerdicts } from "../checks/outcome.ts";
import { whyNoChain } from "../counterparts/chain.ts";
import { crashEverywhere } from "../crashes/crashes.ts";
import { createLoad } from "../load.ts";
import { registerRecipient } from "../recipients.ts";

const settleTimeoutMs = 120_000;

/** Kills the payout service (SIGKILL) in every gap between two steps of a chain transfer. */
export const chainCrashes: RailCase = {
  name: "chain-crashes",
  about: "kill -9 in every gap between two steps of a transfer on anvil",
  unavailable: whyNoChain,
  run: async function* (world, { perGap, seed }) {
    const load = createLoad(world, await registerRecipient(world, "wallet"), 3, 300);
    load.start();
    yield await crashEverywhere(world, {
      folders: /packages\/(?:chain|evm)-rail\//,
      steps: /^rpc eth_(?:sendRaw|getTransactionRe)/,
      calls: 2,
      rounds: perGap,
      random: createRandom(seed),
      withinMs: 10_000,
      gapsMax: Number.POSITIVE_INFINITY,
    });
    await load.drain();
    const known = { times: () => 0, returned: () => 0, confirms: true };
    const ended = await atTheirEnd(world, load, known, settleTimeoutMs);
    const transfers = (await world.chain?.transfers()) ?? [];
    const counts = Map.groupBy(transfers, ({ value }) => value);
    yield* outcomeVerdicts(ended, load, {
      // Counts payments by amount, because each payout has a unique amount.
      times: ({ minor }) => counts.get(minor)?.length ?? 0,
      returned: () => 0,
      confirms: true,
      sum: transfers.reduce((sum, { value }) => sum + value, 0n),
    });
  },
};
