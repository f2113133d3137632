import { writeFileSync } from "node:fs";
import { runCommand, say } from "@disburse/harness/command-line.ts";
import { type Backends, withBackends } from "./backends.ts";
import { runBench } from "./bench.ts";
import { type BenchOptions, readOptions } from "./options.ts";
import { report } from "./report.ts";

/** `npm run bench`: README.md tells what it measures and how. */

async function bench(options: BenchOptions, backends: Backends): Promise<number> {
  const { figures, faults } = await runBench(backends, options, say);
  say(`\n${report(figures)}\n`);
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
  }
  say(faults.length === 0 ? "money conserved" : `money NOT conserved:\n${faults.join("\n")}`);
  return faults.length === 0 ? 0 : 1;
}

// All that was started ends when this process does.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

await runCommand((args) => {
  const options = readOptions(args);
  return withBackends((backends) => bench(options, backends));
});
