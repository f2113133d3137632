import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { addCounts, type FaultCounts, type FaultKind, faultKinds } from "./faults.ts";
import type { SeedResult } from "./seed-run.ts";
import type { SeedShare } from "./seed-worker.ts";

/** What many seeds came to. */
export type SeedsReport = {
  readonly passed: number;
  readonly failed: number;
  readonly steps: number;
  readonly faults: FaultCounts;
  /** What never happened in all of them: then they have tried nothing of it. */
  readonly neverHappened: readonly FaultKind[];
};

/** A worker more gains nothing where memory is what runs short. */
const workersMax = 8;

/** Runs seeds on as many workers as there are cores; `onResult` hears of each as it ends. */
export async function runSeeds(
  first: number,
  count: number,
  onResult: (result: SeedResult) => void,
): Promise<SeedsReport> {
  const totals = { passed: 0, failed: 0, steps: 0 };
  const faults: FaultCounts = {};
  const workers = Math.min(availableParallelism(), workersMax, count);
  const shares = Array.from({ length: workers }, (_each, at): SeedShare => {
    return { first: first + at, step: workers, end: first + count };
  });
  const take = (result: SeedResult) => {
    if (result.wrong.length === 0) totals.passed += 1;
    else totals.failed += 1;
    totals.steps += result.steps;
    addCounts(faults, result.faults);
    onResult(result);
  };
  await Promise.all(shares.map((share) => runShare(share, take)));
  const neverHappened = faultKinds.filter((kind) => faults[kind] === undefined);
  return { ...totals, faults, neverHappened };
}

function runShare(share: SeedShare, take: (result: SeedResult) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./seed-worker.ts", import.meta.url), { workerData: share });
    worker.on("message", take);
    worker.once("error", reject);
    worker.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a worker ended with ${code}`));
    });
  });
}
