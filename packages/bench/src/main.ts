import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "@disburse/embedded/broker.ts";
import { startEngine } from "@disburse/embedded/engine.ts";
import { MongoClient } from "mongodb";
import { runBench } from "./bench.ts";
import { type BenchOptions, readOptions, UsageError } from "./options.ts";
import { report } from "./report.ts";

/** `npm run bench`: README.md tells what it measures and how. */

/** What a small server gives its database; 200,000 payouts take about as much. */
const cacheMegabytes = 1_024;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function lost(part: string): (how: string) => never {
  return (how) => {
    process.stderr.write(`The ${part} has gone: ${how}.\n`);
    process.exit(1);
  };
}

async function bench(options: BenchOptions): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), "disburse-bench-"));
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const engine = await startEngine({ dataDir, cacheMegabytes, onExit: lost("database engine") });
    ends.push(engine.stop);
    const broker = await startBroker({ dataDir, onExit: lost("message broker") });
    if (broker === undefined) throw new Error("The bench needs RabbitMQ: see README.md.");
    ends.push(broker.stop);
    const mongo = await new MongoClient(engine.uri("admin")).connect();
    ends.push(() => mongo.close());
    const ground = {
      mongodbUri: engine.uri,
      amqpUrl: broker.url,
      mongo,
      pids: { engine: engine.pid, broker: broker.pid },
    };
    const { figures, faults } = await runBench(ground, options, say);
    say(`\n${report(figures)}\n`);
    if (options.json !== undefined) {
      writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`);
    }
    say(faults.length === 0 ? "money conserved" : `money NOT conserved:\n${faults.join("\n")}`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

// All that was started ends when this process does.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

try {
  process.exitCode = await bench(readOptions(process.argv.slice(2)));
} catch (error) {
  const known = error instanceof UsageError;
  process.stderr.write(`${known ? error.message : `The bench failed: ${error}`}\n`);
  process.exitCode = 1;
}
