import { parentPort, workerData } from "node:worker_threads";
import { virtualGlobals } from "./scheduler/virtual-globals.ts";
import { runSeed, type SeedResult } from "./seed-run.ts";

/** Which seeds a worker runs: every `step`th from `first`, below `end`. */
export type SeedShare = { readonly first: number; readonly step: number; readonly end: number };

const { first, step, end } = workerData as SeedShare;
virtualGlobals();
for (let seed = first; seed < end; seed += step) {
  const result: SeedResult = await runSeed(seed);
  parentPort?.postMessage(result);
}
