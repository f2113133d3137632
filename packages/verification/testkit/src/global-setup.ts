import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "@disburse/embedded/broker.ts";
import { startEngine } from "@disburse/embedded/engine.ts";
import { MongoClient } from "mongodb";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    mongodbUri: string;
    /** URL of the broker that all tests share. Empty if RabbitMQ is not installed. */
    amqpUrl: string;
  }
}

interface Shared {
  mongodbUri: string;
  amqpUrl: string;
  stop(): Promise<void>;
}

interface Holder {
  users: number;
  shared?: Promise<Shared>;
}

/**
 * Each test project loads its own copy of this file. The copies share their state under a global
 * symbol.
 */
const place = Symbol.for("disburse.testkit.shared");
const holders = globalThis as unknown as Record<symbol, Holder | undefined>;

/**
 * Starts the engine and broker when the first test project starts. The last project stops them.
 * @public Called by vitest.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const holder = holders[place] ?? { users: 0 };
  holders[place] = holder;
  holder.users += 1;
  holder.shared ??= start();
  const shared = await holder.shared;
  project.provide("mongodbUri", shared.mongodbUri);
  project.provide("amqpUrl", shared.amqpUrl);
  return async () => {
    holder.users -= 1;
    if (holder.users > 0) return;
    delete holders[place];
    await shared.stop();
  };
}

/**
 * Makes the engine close the files of unused databases. The engine has a file for each collection
 * and index, which makes 20,000 at the end of a test run. Dropping a database doesn't close its
 * files.
 */
async function closeIdleFiles(uri: string): Promise<void> {
  const client = new MongoClient(uri);
  const file_manager = "(close_idle_time=10,close_scan_interval=5,close_handle_minimum=250)";
  try {
    await client.db("admin").command({
      setParameter: 1,
      wiredTigerEngineRuntimeConfig: `file_manager=${file_manager}`,
    });
  } finally {
    await client.close();
  }
}

async function start(): Promise<Shared> {
  const dataDir = await mkdtemp(join(tmpdir(), "disburse-test-"));
  const ended = (what: string) => (how: string) => {
    process.stderr.write(`\nThe ${what} that the tests share has ended: ${how}.\n`);
  };
  const [engine, broker] = await Promise.all([
    startEngine({ dataDir, onExit: ended("engine") }),
    startBroker({ dataDir, onExit: ended("broker") }),
  ]);
  if (engine.kind !== "external") await closeIdleFiles(engine.uri("admin"));
  return {
    mongodbUri: engine.uri("test"),
    amqpUrl: broker?.url ?? "",
    stop: async () => {
      await Promise.all([engine.stop(), broker?.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
