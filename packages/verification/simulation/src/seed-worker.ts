import { parentPort, workerData } from "node:worker_threads";
import { runAll, type SeedResult } from "./run-all.ts";
import { virtualGlobals } from "./scheduler/virtual-globals.ts";

/** The seeds of a worker: every `step`th seed from `first`, below `end`. */
export type SeedShare = { readonly first: number; readonly step: number; readonly end: number };

const { first, step, end } = workerData as SeedShare;
virtualGlobals();
for (let seed = first; seed < end; seed += step) {
  const result: SeedResult = await runAll(seed);
  parentPort?.postMessage(result);
}
