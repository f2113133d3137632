import { runBankSeed } from "./bank/bank-run.ts";
import { runChainSeed } from "./chain/chain-run.ts";
import { addCounts, type FaultCounts } from "./faults.ts";
import { runSeed, type SeedOptions } from "./seed-run.ts";

export type SeedResult = Awaited<ReturnType<typeof runAll>>;

export async function runAll(seed: number, { listen }: Pick<SeedOptions, "listen"> = {}) {
  const heard = listen === undefined ? {} : { listen };
  const runs = [
    await runSeed(seed, heard),
    await runChainSeed(seed, heard),
    await runBankSeed(seed, heard),
  ];
  const faults: FaultCounts = {};
  for (const each of runs) addCounts(faults, each.faults);
  return {
    seed,
    faults,
    wrong: runs.flatMap(({ wrong }) => wrong),
    steps: runs.reduce((total, { steps }) => total + steps, 0),
    /** Hash of the sequence of all events. Runs with equal hashes were equal. */
    traceHash: runs.map(({ traceHash }) => traceHash).join("-"),
  };
}
