import { execFileSync } from "node:child_process";
import { cpus, loadavg, type as osType, release, totalmem } from "node:os";
import { exitOnSignals, runCommand, say, writeJson } from "@disburse/harness/command-line.ts";
import type { BenchFigures } from "./figures.ts";
import { measureLedger } from "./ledger/ledger.ts";
import { rounded } from "./measures/percentile.ts";
import { concurrency, scenarioNames } from "./measures/scenario.ts";
import { type BenchOptions, readOptions } from "./options.ts";
import {
  type Backends,
  type DatabaseServer,
  describeDatabase,
  withBackends,
} from "./platforms/backends.ts";
import { logLevel } from "./platforms/bench-platform.ts";
import { report } from "./report.ts";
import { compareSizes, measureHistory, measureOneBatch, measurePlatform } from "./run.ts";

/** `npm run bench`: README.md describes the measurements. */

async function main(options: BenchOptions, backends: Backends): Promise<number> {
  const startedAt = performance.now();
  const { only } = options;
  const machine = readMachine(backends.database);
  const bench = { backends, options };
  const ledger = only.has("ledger") ? await measureLedger(backends, options.seconds) : undefined;
  const onSmall = [...scenarioNames, "hot", "webhooks"].filter((name) => name !== "merchants");
  const small = onSmall.some((name) => only.has(name as "hot"))
    ? await measurePlatform(bench)
    : undefined;
  const history = only.has("merchants") ? await measureHistory(bench) : undefined;
  const batch = only.has("batches") ? await measureOneBatch(bench) : undefined;
  // Runs last, because the engine works for minutes on the seeded data.
  const sizes = only.has("flat") ? await compareSizes(bench) : undefined;
  const moneyFaults = [ledger, small, history, batch, sizes].flatMap((each) => each?.faults ?? []);
  const { faults, webhookFaults = [], ...measured } = small ?? { faults: [], scenarios: {} };
  const figures: BenchFigures = {
    machine,
    seconds_in_all: Math.round((performance.now() - startedAt) / 1_000),
    concurrency,
    ...measured,
    scenarios: { ...history?.scenarios, ...measured.scenarios },
    ...(history !== undefined && { history: history.history }),
    ...(ledger !== undefined && { ledger: ledger.ledger }),
    ...(batch !== undefined && { batches: batch.batches }),
    flat: sizes?.flat ?? {},
    money_conserved: moneyFaults.length === 0,
  };
  say(`\n${report(figures)}\n`);
  writeJson(options.json, figures);
  for (const fault of webhookFaults) say(fault);
  const conserved = moneyFaults.length === 0;
  say(conserved ? "money conserved" : `money NOT conserved:\n${moneyFaults.join("\n")}`);
  return conserved && webhookFaults.length === 0 ? 0 : 1;
}

const gigabyte = 1_024 ** 3;

/** Describes the machine, since figures depend on it. */
function readMachine(database: DatabaseServer): BenchFigures["machine"] {
  return {
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}`,
    memory_gb: Math.round(totalmem() / gigabyte),
    os: `${osType()} ${release().replace(/-.*/, "")}`,
    load_before: rounded(loadavg()[0] ?? 0, 1),
    node: process.version,
    mongodb: database.version,
    engine: describeDatabase(database),
    log_level: logLevel,
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  };
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  try {
    const changed = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : "+";
    return git("rev-parse", "--short=10", "HEAD") + changed;
  } catch {
    // Source code from a tarball has no commit.
    return "unknown";
  }
}

exitOnSignals();
await runCommand((args) => {
  const options = readOptions(args);
  return withBackends((backends) => main(options, backends));
});
