import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "@disburse/embedded/broker.ts";
import { type Engine, startEngine } from "@disburse/embedded/engine.ts";
import { UsageError } from "@disburse/harness/command-line.ts";
import { MongoClient } from "mongodb";

export type Backends = {
  readonly mongodbUri: (database: string) => string;
  readonly amqpUrl: string;
  /** The bench's own client for seeding and counting. */
  readonly mongo: MongoClient;
  /** A process on another machine has no pid here. */
  readonly pids: Readonly<Record<"engine" | "broker", number | undefined>>;
  readonly database: DatabaseServer;
};

export type DatabaseServer = {
  readonly kind: Engine["kind"];
  readonly version: string;
  /** A member of a replica set writes an oplog. */
  readonly hasOplog: boolean;
};

/** Cache size of a typical small server. 200,000 payouts need about as much. */
const cacheMegabytes = 1_024;

function lost(part: string): (how: string) => never {
  return (how) => {
    process.stderr.write(`The ${part} has ended: ${how}.\n`);
    process.exit(1);
  };
}

function missing(part: string): (error: unknown) => never {
  return (error) => {
    throw new UsageError(`The bench needs ${part}: ${(error as Error).message}`);
  };
}

/** Connects to the host and port of a URL, and disconnects. */
async function connectTo(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port) || amqpPort, hostname);
  await once(socket, "connect");
  socket.destroy();
}

const amqpPort = 5_672;
const selectionTimeoutMs = 5_000;

const connectMongo = async ({ uri }: Engine) =>
  await new MongoClient(uri("admin"), { serverSelectionTimeoutMS: selectionTimeoutMs }).connect();

/** Starts an empty engine and broker for the duration of `use`. */
export async function withBackends<T>(use: (backends: Backends) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "disburse-bench-"));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  process.once("exit", remove);
  await using ends = new AsyncDisposableStack();
  ends.defer(remove);
  const broker = await startBroker({ dataDir, onExit: lost("message broker") });
  if (broker === undefined) {
    throw new UsageError(
      "The bench needs RabbitMQ: install rabbitmq-server 3.10 or newer, or set AMQP_URL to a broker.",
    );
  }
  ends.defer(broker.stop);
  await connectTo(broker.url).catch(missing("the broker that AMQP_URL names"));
  const options = { dataDir, cacheMegabytes, onExit: lost("database engine") };
  const engine = await startEngine(options).catch(missing("a database engine"));
  ends.defer(engine.stop);
  const mongo = await connectMongo(engine).catch(missing("the database that MONGODB_URI names"));
  ends.defer(() => mongo.close());
  const admin = mongo.db("admin");
  const { version } = await admin.command({ buildInfo: 1 });
  const { setName } = await admin.command({ hello: 1 });
  const database = { kind: engine.kind, version, hasOplog: setName !== undefined };
  assertComparable(database);
  const enginePid = engine.pid ?? (await localPid(mongo, engine.uri("admin")));
  const pids = { engine: enginePid, broker: broker.pid };
  return await use({ mongodbUri: engine.uri, amqpUrl: broker.url, mongo, pids, database });
}

const majorMin = 8;

/** @throws {UsageError} if the services write to this server without batches. */
export function assertComparable({ version }: Pick<DatabaseServer, "version">): void {
  if (Number.parseInt(version, 10) >= majorMin) return;
  throw new UsageError(
    `MONGODB_URI names MongoDB ${version}, whose figures are not comparable, because the services write ` +
      "in batches only to MongoDB 8.0 or later.",
  );
}

export function describeDatabase({ kind, version, hasOplog }: DatabaseServer): string {
  if (kind === "embedded") {
    return (
      `The database is the embedded engine (MongoDB ${version}). It serves its socket in ` +
      "JavaScript and has no oplog: a mongod spends less on each command, and a replica set's " +
      "primary writes an oplog beside the journal."
    );
  }
  const oplog = hasOplog
    ? "a member of a replica set, with an oplog"
    : "standalone, without an oplog";
  const from = kind === "external" ? "named by MONGODB_URI" : "from PATH";
  return `The database is MongoDB ${version} ${from}, ${oplog}.`;
}

/** Returns the pid of a server on this machine, so that its CPU time can be measured. */
async function localPid(mongo: MongoClient, uri: string): Promise<number | undefined> {
  if (!/\/\/(?:[^@/]*@)?(?:127\.0\.0\.1|localhost)[:/]/.test(uri)) return undefined;
  const { pid } = await mongo.db("admin").command({ serverStatus: 1 });
  try {
    const name = readFileSync(`/proc/${pid}/comm`, "utf8");
    return name.startsWith("mongo") ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}
