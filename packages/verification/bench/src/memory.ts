import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exitOnSignals, runCommand, say, writeJson } from "@disburse/harness/command-line.ts";
import { type Child, startChild } from "./load/child.ts";
import type { LoadCalls } from "./load/load-process.ts";
import { canMeasureProcesses, residentTree } from "./measures/process-usage.ts";
import {
  type MemorySample,
  memoryFaults,
  memorySample,
  memoryTable,
  sumOf,
} from "./memory-report.ts";
import { readMemoryOptions } from "./options.ts";
import { type RunningStandalone, startStandalone } from "./platforms/standalone.ts";

/** `npm run bench:memory`: README.md says what it measures and how. */

const concurrency = 16;
/** Quotes are made and executed this many at a time. */
const batch = 500;
const sampleEveryMs = 1_000;

/** After so many payouts a line is printed: at 1,000, and then at each 10,000. */
function isMark(payouts: number): boolean {
  return payouts === 1_000 || payouts % 10_000 === 0;
}

async function payAndSample(
  { pid, target }: RunningStandalone,
  load: Child<LoadCalls>,
  payouts: number,
): Promise<MemorySample[]> {
  await load.call("target", { name: "standalone", targets: [target], payouts: [] });
  const run = { name: "standalone", concurrency } as const;
  const samples: MemorySample[] = [];
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, sumOf(residentTree(pid)));
  }, sampleEveryMs);
  try {
    for (let made = 0; made < payouts; ) {
      const end = { requests: Math.min(batch, payouts - made) };
      await load.call("run", { ...run, scenario: "quote", end });
      await load.call("run", { ...run, scenario: "execute", end });
      made = await load.call("executed", run.name);
      if (!isMark(made) && made < payouts) continue;
      const sample = memorySample(made, residentTree(pid), peak);
      samples.push(sample);
      say(`${made} payouts: ${sample.total_mb} MB`);
      peak = 0;
    }
  } finally {
    clearInterval(watch);
  }
  return samples;
}

async function measureMemory(payouts: number, json: string | undefined): Promise<number> {
  if (!canMeasureProcesses) throw new Error("Memory is read from /proc, which only Linux has.");
  const dataDir = mkdtempSync(join(tmpdir(), "disburse-memory-"));
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  await using ends = new AsyncDisposableStack();
  const load = startChild<LoadCalls>("load/load-process.ts");
  ends.defer(load.stop);
  const standalone = await startStandalone(dataDir);
  ends.defer(standalone.stop);
  const samples = await payAndSample(standalone, load, payouts);
  const faults = memoryFaults(samples);
  say(`\n${memoryTable(samples)}\n`);
  writeJson(json, { samples, faults });
  for (const fault of faults) say(fault);
  return faults.length === 0 ? 0 : 1;
}

exitOnSignals();
await runCommand((args) => {
  const { payouts, json } = readMemoryOptions(args);
  return measureMemory(payouts, json);
});
