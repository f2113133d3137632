import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareFolder } from "./data-folder.ts";
import { type BrokerDefinitions, rabbitmqServer, startNode } from "./rabbitmq.ts";
import { stopStaleProcesses } from "./stale-processes.ts";

/**
 * The time for which a start waits for leftover processes. It is slightly longer than a node takes
 * to stop after its starter was killed.
 */
const leftoversTimeoutMs = 25_000;
/**
 * The maximum number of attempts to start. Another process can take a port between its choice and
 * its use.
 */
const startsMax = 2;

export interface BrokerOptions {
  dataDir: string;
  /** Called once, with the exit status or signal, when the broker ends without `stop`. */
  onExit: (how: string) => void;
  /**
   * Called when the URL is known, with all ports that the broker will listen on. The broker may
   * need several more seconds before it accepts connections.
   */
  onUrl?: (url: string, ports: readonly number[]) => void;
  /** Users and exchanges to create when the broker starts, in addition to the user in `url`. */
  definitions?: BrokerDefinitions;
  /** The environment with AMQP_URL, DISBURSE_BROKER and PATH. The default is this process's own. */
  env?: NodeJS.ProcessEnv;
}

export interface Broker {
  kind: "external" | "private";
  pid: number | undefined;
  /**
   * The broker's URL. For a private node, it includes an administrator whose password is stored in
   * the folder.
   */
  url: string;
  /** Stops a private node and waits until it has ended. An external broker is not stopped. */
  stop(): Promise<void>;
}

/**
 * Connects to AMQP_URL if it is set. Otherwise starts a private node, if RabbitMQ is installed and
 * DISBURSE_BROKER is not `none`. A later start with the same folder keeps the durable queues.
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

const adminName = "admin";
const passwordBytes = 32;

/** Returns the password stored in the folder. A changed password takes effect at the next start. */
function readPassword(folder: string): string {
  const path = join(folder, "admin-password");
  const stored = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (stored !== "") return stored;
  const password = randomBytes(passwordBytes).toString("base64url");
  writeFileSync(path, password, { mode: 0o600 });
  return password;
}

/** Adds an administrator to the definitions, because a node with definitions doesn't create one. */
function withAdmin(given: BrokerDefinitions | undefined, password: string): BrokerDefinitions {
  const vhost = "/";
  const all = { configure: ".*", write: ".*", read: ".*" };
  // Each user must have only one entry. A node imports entries concurrently, so either of two
  // entries could win.
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
