import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareFolder } from "./data-folder.ts";
import { type BrokerDefinitions, rabbitmqServer, startNode } from "./rabbitmq.ts";
import { stopStaleProcesses } from "./stale-processes.ts";

/** A little longer than a node whose starter was killed may take to stop. */
const leftoversTimeoutMs = 25_000;
/** A port can be taken by another process between its choice and its use. */
const startsMax = 2;

/** How a broker is started. */
export interface BrokerOptions {
  /** Created where it is missing. */
  dataDir: string;
  /** Called once, with how it ended, when the broker ends without `stop`. */
  onExit: (how: string) => void;
  /**
   * Called with the URL as soon as it is known, and with all ports that the broker will listen at
   * on this machine: it may take seconds to answer.
   */
  onUrl?: (url: string, ports: readonly number[]) => void;
  /** Users beside the one of `url`, and exchanges, which are there when the broker answers. */
  definitions?: BrokerDefinitions;
  /** Source of AMQP_URL, DISBURSE_BROKER and PATH; this process's own by default. */
  env?: NodeJS.ProcessEnv;
}

/** A RabbitMQ that any AMQP 0-9-1 client reaches. */
export interface Broker {
  kind: "external" | "private";
  /** The node's process; undefined for an external one. */
  pid: number | undefined;
  /** Of a private node: with a user who may do everything, and a password that the folder keeps. */
  url: string;
  /** Stops a private node and waits until it has ended. */
  stop(): Promise<void>;
}

/**
 * The RabbitMQ at AMQP_URL, else a private node where it is installed and DISBURSE_BROKER is not
 * `none`. A second start on a folder has the durable queues of the first.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker | undefined> {
  const env = options.env ?? process.env;
  if (env.DISBURSE_BROKER === "none") return undefined;
  const external = env.AMQP_URL;
  if (external !== undefined && external !== "") {
    options.onUrl?.(external, []);
    return { kind: "external", pid: undefined, url: external, stop: () => Promise.resolve() };
  }
  const server = rabbitmqServer(env);
  if (server === undefined) return undefined;
  const path = join(options.dataDir, "rabbitmq");
  prepareFolder(path);
  const folder = realpathSync(path);
  const record = join(folder, "processes.json");
  await stopStaleProcesses(record, { folder, timeoutMs: leftoversTimeoutMs });
  const password = readPassword(folder);
  const urlOf = (port: number) => `amqp://${adminName}:${password}@127.0.0.1:${port}`;
  const onPorts = (port: number, others: readonly number[]) =>
    options.onUrl?.(urlOf(port), [port, ...others]);
  const definitions = withAdmin(options.definitions, password);
  const { node, epmd, port } = await retryPortTaken(() =>
    startNode({ server, folder, record, definitions, onPorts }, env),
  );
  node.onLost(options.onExit);
  const stop = async (): Promise<void> => {
    await node.stop();
    await epmd.stop();
  };
  return { kind: "private", pid: node.pid, url: urlOf(port), stop };
}

/** The user of a private node who may do everything. */
const adminName = "admin";
const passwordBytes = 32;

/** The password that a folder's broker has; a node takes a new one at its next start. */
function readPassword(folder: string): string {
  const path = join(folder, "admin-password");
  const stored = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (stored !== "") return stored;
  const password = randomBytes(passwordBytes).toString("base64url");
  writeFileSync(path, password, { mode: 0o600 });
  return password;
}

/** A node with definitions makes no user by itself. */
function withAdmin(given: BrokerDefinitions | undefined, password: string): BrokerDefinitions {
  const vhost = "/";
  const all = { configure: ".*", write: ".*", read: ".*" };
  // A user named twice would be either of the two: a node reads them side by side.
  const { users, permissions, exchanges } = given ?? { users: [], permissions: [], exchanges: [] };
  return {
    vhosts: [{ name: vhost }],
    users: [...users, { name: adminName, password, tags: "administrator" }],
    permissions: [...permissions, { user: adminName, vhost, ...all }],
    exchanges,
  };
}

async function retryPortTaken<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (cause) {
      if (tries === startsMax || !/eaddrinuse/i.test(String(cause))) throw cause;
    }
  }
}
