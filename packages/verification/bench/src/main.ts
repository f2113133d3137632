import { execFileSync } from "node:child_process";
import { cpus, loadavg, type as osType, release, totalmem } from "node:os";
import { exitOnSignals, runCommand, say, writeJson } from "@disburse/harness/command-line.ts";
import type { MongoClient } from "mongodb";
import type { BenchFigures, MachineFigures } from "./figures.ts";
import { startChild } from "./load/child.ts";
import type { LoadCalls } from "./load/load-process.ts";
import { rounded } from "./measures/percentile.ts";
import { concurrency } from "./measures/scenario.ts";
import { type BenchOptions, readOptions } from "./options.ts";
import { type Backends, withBackends } from "./platforms/backends.ts";
import { report } from "./report.ts";
import { compareSizes, measurePlatform } from "./run.ts";
import { measureBacklog } from "./webhooks/backlog.ts";

/** `npm run bench`: README.md describes what it measures and how. */

/** The project's own bound for a request beside many payouts. */
const flatWithin = 1.3;

async function main(options: BenchOptions, backends: Backends): Promise<number> {
  const startedAt = performance.now();
  const machine = await readMachine(backends.mongo);
  const load = startChild<LoadCalls>("load/load-process.ts");
  await using ends = new AsyncDisposableStack();
  ends.defer(load.stop);
  const bench = { backends, options, load };
  const { faults, ...measured } = await measurePlatform(bench);
  const backlog = options.only.has("webhooks")
    ? await measureBacklog(backends, options.backlog)
    : undefined;
  // Last, because the engine works for minutes on what is seeded for it.
  const sizes = options.only.has("flat") ? await compareSizes(bench) : undefined;
  const moneyFaults = [...faults, ...(sizes?.faults ?? [])];
  const figures: BenchFigures = {
    machine,
    seconds_in_all: Math.round((performance.now() - startedAt) / 1_000),
    concurrency,
    ...measured,
    flat: sizes?.flat ?? {},
    flat_within: flatWithin,
    ...(backlog === undefined ? {} : { webhooks: backlog.webhooks }),
    money_conserved: moneyFaults.length === 0,
  };
  say(`\n${report(figures)}\n`);
  writeJson(options.json, figures);
  const webhookFaults = backlog?.faults ?? [];
  for (const fault of webhookFaults) say(fault);
  const conserved = moneyFaults.length === 0;
  say(conserved ? "money conserved" : `money NOT conserved:\n${moneyFaults.join("\n")}`);
  return conserved && webhookFaults.length === 0 ? 0 : 1;
}

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

/** The commit of the tree, with `+` if files differ from it. */
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

exitOnSignals();
await runCommand((args) => {
  const options = readOptions(args);
  return withBackends((backends) => main(options, backends));
});
