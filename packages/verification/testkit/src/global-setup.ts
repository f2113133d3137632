import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "@disburse/embedded/broker.ts";
import { startEngine } from "@disburse/embedded/engine.ts";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Connection string of the run's shared engine. */
    mongodbUri: string;
    /** URL of the run's shared broker; empty where there is no RabbitMQ. */
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

/** Each project loads this file for itself; what they share hangs where all of them see it. */
const place = Symbol.for("disburse.testkit.shared");
const holders = globalThis as unknown as Record<symbol, Holder | undefined>;

/**
 * Starts the engine and the broker for the first project of a run; the last one stops them.
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

async function start(): Promise<Shared> {
  const dataDir = await mkdtemp(join(tmpdir(), "disburse-test-"));
  const ended = (what: string) => (how: string) => {
    process.stderr.write(`\nThe ${what} that the tests share has gone: ${how}.\n`);
  };
  const [engine, broker] = await Promise.all([
    startEngine({ dataDir, onExit: ended("engine") }),
    startBroker({ dataDir, onExit: ended("broker") }),
  ]);
  return {
    mongodbUri: engine.uri("test"),
    amqpUrl: broker?.url ?? "",
    stop: async () => {
      await Promise.all([engine.stop(), broker?.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
