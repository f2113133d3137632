import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@disburse/chassis/log.ts";
import { connectDatabase, type Database } from "@disburse/chassis/mongo/database.ts";
import { type Migration, migrate } from "@disburse/chassis/mongo/migrations.ts";
import { startEngine, withDatabase } from "@disburse/embedded/engine.ts";
import { MongoClient } from "mongodb";
import { inject } from "vitest";
import type {} from "./global-setup.ts";

/** Returns the connection string of one database on the shared engine. */
export function mongodbUri(database: string): string {
  return withDatabase(inject("mongodbUri"), database);
}

/** Returns where to connect to the shared engine. In a replica set, this is the primary. */
export async function engineAddress(): Promise<{ path: string } | { host: string; port: number }> {
  const client = new MongoClient(mongodbUri("admin"));
  try {
    const { primary } = await client.db("admin").command({ hello: 1 });
    if (typeof primary === "string") {
      const [host = "", port] = primary.split(":");
      return { host, port: Number(port) };
    }
    const [{ host = "", port = 0, socketPath } = {}] = client.options.hosts;
    return socketPath === undefined ? { host, port } : { path: socketPath };
  } finally {
    await client.close();
  }
}

/** Returns a globally unique database name. */
export function freshDatabase(label: string): string {
  return `test_${label}_${randomBytes(6).toString("hex")}`;
}

/** Connects to a new database to which a service's migrations were applied. */
export async function migratedDatabase(
  label: string,
  migrations: readonly Migration[],
): Promise<Database> {
  const name = freshDatabase(label);
  const database = await connectDatabase(mongodbUri(name), name);
  await migrate(database, migrations, silentLog);
  return database;
}

/** Starts an engine that only the calling test uses, so that the test can suspend it. */
export async function startOwnEngine() {
  const dataDir = await mkdtemp(join(tmpdir(), "disburse-test-"));
  const { MONGODB_URI: _shared, ...env } = process.env;
  const engine = await startEngine({ dataDir, env, onExit: () => undefined });
  const signal = (name: NodeJS.Signals) => void process.kill(engine.pid ?? 0, name);
  return {
    uri: engine.uri,
    suspend: () => signal("SIGSTOP"),
    resume: () => signal("SIGCONT"),
    stop: async () => {
      signal("SIGCONT");
      await engine.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
