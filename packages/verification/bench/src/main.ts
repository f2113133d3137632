import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, type as osType, release, totalmem } from "node:os";
import { exitOnSignals, runCommand, say, writeJson } from "@disburse/harness/command-line.ts";
import type { MongoClient } from "mongodb";
import { compareFigures } from "./compare.ts";
import type { BenchFigures, MachineFigures } from "./figures.ts";
import { startChild } from "./load/child.ts";
import type { LoadCalls } from "./load/load-process.ts";
import { rounded } from "./measures/percentile.ts";
import { concurrency } from "./measures/scenario.ts";
import { type BenchOptions, readOptions } from "./options.ts";
import { type Backends, withBackends } from "./platforms/backends.ts";
import { publish } from "./publish/page.ts";
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

const gigabyte = 1_024 ** 3;

/** What the figures of a run depend on. */
async function readMachine(mongo: MongoClient): Promise<MachineFigures> {
  const { version } = await mongo.db("admin").command({ buildInfo: 1 });
  return {
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}`,
    memory_gb: Math.round(totalmem() / gigabyte),
    os: `${osType()} ${release().replace(/-.*/, "")}`,
    load_before: rounded(loadavg()[0] ?? 0, 1),
    node: process.version,
    mongodb: String(version),
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  };
}

/** The commit of the tree, with `+` where files differ from it. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  try {
    const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+";
    return git("rev-parse", "--short=10", "HEAD") + changed;
  } catch {
    // A tarball has no history.
    return "unknown";
  }
}

await runCommand((args) => {
  const options = readOptions(args);
  return withBackends((backends) => main(options, backends));
});
