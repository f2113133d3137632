import { runCommand, say } from "@disburse/harness/command-line.ts";
import { faultKinds } from "./faults.ts";
import { readCommand, type SimulationCommand } from "./options.ts";
import { runSeed, type SeedResult } from "./seed-run.ts";
import { runSeeds, type SeedsReport } from "./seeds.ts";
import { virtualGlobals } from "./virtual-globals.ts";

/** `npm run test:sim`: README.md tells what it runs and what it checks. */

/** So many seeds are enough for each fault to happen; fewer say nothing of one that did not. */
const seedsForEachFault = 300;

async function run(command: SimulationCommand): Promise<number> {
  if (command.kind === "replay") return replay(command.seed);
  const { first, seeds } = command;
  const report = await runSeeds(first, seeds, sayWrong);
  for (const line of reportLines(report)) say(line);
  const isUntried = seeds >= seedsForEachFault && report.neverHappened.length > 0;
  if (isUntried) say(`never happened: ${report.neverHappened.join(", ")}`);
  const failed = report.failed + Number(isUntried);
  say(`${report.passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function replay(seed: number): Promise<number> {
  virtualGlobals();
  const result = await runSeed(seed, { listen: say });
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

function* reportLines({ faults, steps }: SeedsReport): Generator<string> {
  for (const kind of faultKinds) yield `${String(faults[kind] ?? 0).padStart(9)}  ${kind}`;
  yield `${String(steps).padStart(9)}  steps`;
}

await runCommand((args) => run(readCommand(args)));
