import { createRandom } from "@disburse/harness/random.ts";
import type { RailCase } from "../case.ts";
import { atTheirEnd, outcomeVerdicts } from "../checks/outcome.ts";
import { crashEverywhere } from "../crashes/crashes.ts";
import { paidSolanaWallet } from "../demo/recipients.ts";
import { createLoad } from "../load.ts";
import { registerRecipient } from "../recipients.ts";

const settleTimeoutMs = 120_000;

/** Kills the payout service (SIGKILL) in every gap between two steps of a transfer on Solana. */
export const solanaCrashes: RailCase = {
  name: "solana-crashes",
  about: "kill -9 in every gap between two steps of a transfer on Solana's runtime",
  unavailable: () => undefined,
  run: async function* (world, { perGap, seed }) {
    const load = createLoad(world, await registerRecipient(world, "solana"), 3, 300);
    load.start();
    yield await crashEverywhere(world, {
      folders: /packages\/solana-rail\//,
      steps: /^rpc (?:sendTransaction|getSignatureStatuses)/,
      calls: 2,
      rounds: perGap,
      random: createRandom(seed),
      withinMs: 10_000,
      gapsMax: Number.POSITIVE_INFINITY,
    });
    await load.drain();
    const known = { times: () => 0, returned: () => 0, confirms: true };
    const ended = await atTheirEnd(world, load, known, settleTimeoutMs);
    // Every payout has its own amount, and a memo with its id.
    const memos = world.solana.chain.blocks
      .flatMap(({ transactions }) => transactions)
      .filter(({ error }) => error === null)
      .map(({ raw }) => Buffer.from(raw));
    const sum = await world.solana.balanceOf(paidSolanaWallet);
    yield* outcomeVerdicts(ended, load, {
      times: ({ id }) => memos.filter((raw) => raw.includes(id)).length,
      returned: () => 0,
      confirms: true,
      sum,
    });
    const sent = await world.solana.sent();
    const problems = sent === sum ? [] : [`${sent} left the wallet, ${sum} arrived`];
    yield { name: "nothing left the wallet to others", problems };
  },
};
