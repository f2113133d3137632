import { realpathSync } from "node:fs";
import { join } from "node:path";
import { prepareFolder } from "./data-folder.ts";
import { rabbitmqServer, startNode } from "./rabbitmq.ts";
import { stopStaleProcesses } from "./stale-processes.ts";

/** As long as a node whose starter was killed may take to stop, and a little more. */
const leftoversTimeoutMs = 25_000;
/** A port can be taken by another process between its choice and its use. */
const startsMax = 2;

/** Where a broker keeps its data, and who is told when it ends unasked. */
export interface BrokerOptions {
  /** Made if it is not there. */
  dataDir: string;
  /** Called once, with how it ended, when the broker goes away without `stop`. */
  onExit: (how: string) => void;
  /** Where AMQP_URL, DISBURSE_BROKER and PATH are read; this process's own by default. */
  env?: NodeJS.ProcessEnv;
}

/** A RabbitMQ that any AMQP 0-9-1 client reaches. */
export interface Broker {
  kind: "external" | "private";
  /** The node's own process; undefined for an external one. */
  pid: number | undefined;
  url: string;
  /** Ends the node and waits for that. Leaves an external one alone. */
  stop(): Promise<void>;
}

/**
 * The RabbitMQ to work with: the one AMQP_URL names, else a private node where RabbitMQ is
 * installed, else undefined, as also with DISBURSE_BROKER=none. A second start on the same
 * folder goes on with the durable queues of the first.
 */
export async function startBroker(options: BrokerOptions): Promise<Broker | undefined> {
  const env = options.env ?? process.env;
  if (env.DISBURSE_BROKER === "none") return undefined;
  const external = env.AMQP_URL;
  if (external !== undefined && external !== "") {
    return { kind: "external", pid: undefined, url: external, stop: () => Promise.resolve() };
  }
  const server = rabbitmqServer(env);
  if (server === undefined) return undefined;
  return startPrivate(server, options, env);
}

async function startPrivate(
  server: string,
  { dataDir, onExit }: BrokerOptions,
  env: NodeJS.ProcessEnv,
): Promise<Broker> {
  prepareFolder(join(dataDir, "rabbitmq"));
  const folder = realpathSync(join(dataDir, "rabbitmq"));
  const note = join(folder, "processes.json");
  await stopStaleProcesses(note, { folder, timeoutMs: leftoversTimeoutMs });
  const { node, epmd, port } = await startAgain(() => startNode(server, folder, note, env));
  let stopping = false;
  void node.exited.then((how) => {
    if (!stopping) onExit(how);
  });
  const stop = async (): Promise<void> => {
    stopping = true;
    await node.stop();
    await epmd.stop();
  };
  return { kind: "private", pid: node.pid, url: `amqp://guest:guest@127.0.0.1:${port}`, stop };
}

async function startAgain<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (cause) {
      if (tries === startsMax || !/eaddrinuse/i.test(String(cause))) throw cause;
    }
  }
}
