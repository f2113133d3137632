import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { runCommand, say } from "@disburse/harness/command-line.ts";
import { addCounts, allFaultKinds, type FaultCounts } from "./faults.ts";
import { readCommand, type SimulationCommand } from "./options.ts";
import { runAll, type SeedResult } from "./run-all.ts";
import { virtualGlobals } from "./scheduler/virtual-globals.ts";
import type { SeedShare } from "./seed-worker.ts";

/** `npm run test:sim`: README.md describes the runs and checks. */

/** With this many seeds each fault must occur. With fewer, a missing one means nothing. */
const seedsForEachFault = 300;

async function run(command: SimulationCommand): Promise<number> {
  if (command.kind === "replay") return replay(command.seed);
  const { first, seeds } = command;
  const report = await runSeeds(first, seeds, sayWrong);
  const { faults, steps } = report;
  for (const kind of allFaultKinds) say(`${String(faults[kind] ?? 0).padStart(9)}  ${kind}`);
  say(`${String(steps).padStart(9)}  steps`);
  const isUntried = seeds >= seedsForEachFault && report.neverHappened.length > 0;
  if (isUntried) say(`never happened: ${report.neverHappened.join(", ")}`);
  const failed = report.failed + Number(isUntried);
  say(`${report.passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function replay(seed: number): Promise<number> {
  virtualGlobals();
  const result = await runAll(seed, { listen: say });
  sayWrong(result);
  const isRight = result.wrong.length === 0;
  say(`seed ${seed}: ${result.steps} steps, trace ${result.traceHash}`);
  say(isRight ? "1 passed, 0 failed" : "0 passed, 1 failed");
  return isRight ? 0 : 1;
}

function sayWrong({ seed, wrong, traceHash }: SeedResult): void {
  if (wrong.length === 0) return;
  say(`seed ${seed} failed (trace ${traceHash}); again: npm run test:sim -- --seed ${seed}`);
  for (const each of wrong) say(`  ${each}`);
}

/** More workers don't help if memory is scarce. */
const workersMax = 8;

/** Runs seeds on one worker per core. Calls `onResult` for each. */
async function runSeeds(first: number, count: number, onResult: (result: SeedResult) => void) {
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
  // A kind of fault that never occurred was not tested.
  const neverHappened = allFaultKinds.filter((kind) => faults[kind] === undefined);
  return { ...totals, faults, neverHappened };
}

function runShare(share: SeedShare, take: (result: SeedResult) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./seed-worker.ts", import.meta.url), { workerData: share });
    worker.on("message", take);
    worker.once("error", reject);
    worker.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a seed worker ended with exit code ${code}`));
    });
  });
}

await runCommand((args) => run(readCommand(args)));
