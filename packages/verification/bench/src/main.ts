import { writeFileSync } from "node:fs";
import { type Backends, withBackends } from "./backends.ts";
import { runBench } from "./bench.ts";
import { type BenchOptions, readOptions, UsageError } from "./options.ts";
import { report } from "./report.ts";

/** `npm run bench`: README.md tells what it measures and how. */

const say = (line: string): void => void process.stdout.write(`${line}\n`);

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

try {
  const options = readOptions(process.argv.slice(2));
  process.exitCode = await withBackends((backends) => bench(options, backends));
} catch (error) {
  const known = error instanceof UsageError;
  process.stderr.write(`${known ? error.message : `The bench failed: ${error}`}\n`);
  process.exitCode = 1;
}
