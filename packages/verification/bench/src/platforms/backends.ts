import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "@disburse/embedded/broker.ts";
import { startEngine } from "@disburse/embedded/engine.ts";
import { UsageError } from "@disburse/harness/command-line.ts";
import { MongoClient } from "mongodb";

/** The engine and the broker that the bench's platforms share. */
export type Backends = {
  readonly mongodbUri: (database: string) => string;
  readonly amqpUrl: string;
  /** Of the bench itself, for seeding and counting. */
  readonly mongo: MongoClient;
  /** A process that is none of ours has no pid here. */
  readonly pids: Readonly<Record<"engine" | "broker", number | undefined>>;
};

/** What a small server gives its database; 200,000 payouts take about as much. */
const cacheMegabytes = 1_024;

function lost(part: string): (how: string) => never {
  return (how) => {
    process.stderr.write(`The ${part} has gone: ${how}.\n`);
    process.exit(1);
  };
}

/** Starts an engine and a broker with nothing in them, lets `use` work on them, and ends them. */
export async function withBackends<T>(use: (backends: Backends) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "disburse-bench-"));
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  await using ends = new AsyncDisposableStack();
  const broker = await startBroker({ dataDir, onExit: lost("message broker") });
  if (broker === undefined) {
    throw new UsageError(
      "The bench needs RabbitMQ: install rabbitmq-server 3.10 or newer, or set AMQP_URL to a broker.",
    );
  }
  ends.defer(broker.stop);
  const engine = await startEngine({ dataDir, cacheMegabytes, onExit: lost("database engine") });
  ends.defer(engine.stop);
  const mongo = await new MongoClient(engine.uri("admin")).connect();
  ends.defer(() => mongo.close());
  const pids = { engine: engine.pid, broker: broker.pid };
  return await use({ mongodbUri: engine.uri, amqpUrl: broker.url, mongo, pids });
}
