import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { exitOnSignals, runCommand, say, writeJson } from "@disburse/harness/command-line.ts";
import { compareFigures } from "./compare.ts";
import type { BenchFigures } from "./figures.ts";
import { startChild } from "./load/child.ts";
import type { LoadCalls } from "./load/load-process.ts";
import { readMachine } from "./machine.ts";
import { concurrency } from "./measures/scenario.ts";
import { type BenchOptions, readOptions } from "./options.ts";
import { type Backends, withBackends } from "./platforms/backends.ts";
import { publish } from "./publish/publish.ts";
import { report } from "./report.ts";
import { flatWithin, measureIdleSizes, measurePlatform } from "./run.ts";

/** `npm run bench`: README.md says what it measures and how. */

async function main(options: BenchOptions, backends: Backends): Promise<number> {
  const earlier = options.compare === undefined ? undefined : readFigures(options.compare);
  const { figures, faults } = await runBench(backends, options);
  say(`\n${report(figures)}\n`);
  writeJson(options.json, figures);
  if (options.publish) publish(figures);
  say(faults.length === 0 ? "money conserved" : `money NOT conserved:\n${faults.join("\n")}`);
  const grown = earlier === undefined ? [] : showComparison(earlier, figures);
  return faults.length === 0 && grown.length === 0 ? 0 : 1;
}

const readFigures = (file: string) => JSON.parse(readFileSync(file, "utf8")) as BenchFigures;

function showComparison(earlier: BenchFigures, figures: BenchFigures): readonly string[] {
  const { text, grown } = compareFigures(earlier, figures);
  say(`\n${text}`);
  for (const each of grown) say(each);
  return grown;
}

/** Runs the whole bench; what is wrong with the money, if anything, stands in `faults`. */
async function runBench(
  backends: Backends,
  options: BenchOptions,
): Promise<{ readonly figures: BenchFigures; readonly faults: readonly string[] }> {
  const startedAt = performance.now();
  const machine = await readMachine(backends.mongo);
  const load = startChild<LoadCalls>("load/load-process.ts");
  await using ends = new AsyncDisposableStack();
  ends.defer(load.stop);
  const bench = { backends, options, load, ends };
  const idle = options.only.has("idle") ? await measureIdleSizes(bench) : {};
  const { faults, ...measured } = await measurePlatform(bench);
  const figures: BenchFigures = {
    machine,
    seconds_in_all: Math.round((performance.now() - startedAt) / 1_000),
    cpus: availableParallelism(),
    concurrency,
    ...measured,
    flat_within: flatWithin,
    idle,
    money_conserved: faults.length === 0,
  };
  return { figures, faults };
}

exitOnSignals();
await runCommand((args) => {
  const options = readOptions(args);
  return withBackends((backends) => main(options, backends));
});
