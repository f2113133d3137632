import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import {
  isNodeServing,
  type NodeProcessOptions,
  nodeEnvironment,
  nodeName,
  runNode,
  startEpmd,
} from "@disburse/embedded/rabbitmq.ts";
import type { SupervisedProcess } from "@disburse/embedded/supervised-process.ts";
import { signalFamily } from "@disburse/faults/backends/process-family.ts";
import { until } from "@disburse/harness/waiting.ts";

/** Three RabbitMQ nodes that form a cluster. */
export type BrokerCluster = Awaited<ReturnType<typeof startBrokerCluster>>;
export type BrokerNode = ReturnType<typeof createNode>;

const run = promisify(execFile);
const nodeNames = ["mq1", "mq2", "mq3"];
const user = "verification";
const vhost = "/";
const commandTimeoutMs = 120_000;
/** After a kill a node first recovers its queues and waits for the others. */
const healthy = { timeoutMs: 120_000, everyMs: 1_000 };

export async function startBrokerCluster(server: string, folder: string) {
  const [names = 0, ...ports] = await freePorts(7);
  const password = randomBytes(16).toString("hex");
  const cookie = randomBytes(16).toString("hex");
  const places = nodeNames.map((name, at) => {
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    // Nodes with the same cookie trust each other.
    writeFileSync(join(own, ".erlang.cookie"), cookie, { mode: 0o400 });
    return { folder: own, amqp: ports[at] ?? 0, dist: ports[at + 3] ?? 0, names };
  });
  const config = [
    "cluster_partition_handling = pause_minority",
    "cluster_formation.peer_discovery_backend = classic_config",
    ...places.map((place, at) => {
      return `cluster_formation.classic_config.nodes.${at + 1} = ${hostedName(place.folder)}`;
    }),
  ];
  const epmd = await startEpmd(names, folder, process.env);
  const definitions = definitionsOf(password);
  const nodes = places.map((place, at) => {
    const name = nodeNames[at] ?? "";
    return createNode({ name, server, place, definitions, config });
  });
  // The first node forms the cluster, and the others join it.
  await nodes[0]?.start();
  await Promise.all(nodes.slice(1).map((node) => node.start()));
  return {
    nodes,
    /** The addresses of all nodes, for `AMQP_URL`. */
    url: places.map(({ amqp }) => `amqp://${user}:${password}@127.0.0.1:${amqp}`).join(","),
    /** Finds the node with the leader of a quorum queue. */
    leaderOf: async (queue: string): Promise<BrokerNode> => {
      const queues = (await nodes[0]?.ask("list_queues", "name", "leader")) as Queue[];
      const leader = queues.find(({ name }) => name === queue)?.leader;
      const node = nodes.find(({ erlangName }) => erlangName === leader);
      if (node === undefined) throw new Error(`${queue} has no leader: ${JSON.stringify(queues)}`);
      return node;
    },
    /** Waits until all nodes accept clients. Returns true if they did. */
    untilHealthy: () =>
      until(async () => {
        const serving = await Promise.all(places.map(({ amqp }) => isNodeServing(amqp)));
        return serving.every((each) => each);
      }, healthy),
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
      await epmd.stop();
    },
  };
}

function createNode({ name, ...options }: NodeProcessOptions & { readonly name: string }) {
  const { server, place, config = [] } = options;
  const { env } = process;
  const erlangName = hostedName(place.folder);
  let running: SupervisedProcess | undefined;
  return {
    name,
    erlangName,
    start: async () => {
      running = await runNode(options, env);
    },
    kill: async () => {
      const ended = running;
      running = undefined;
      if (ended === undefined) throw new Error(`${name} is not running`);
      signalFamily(ended.pid, "SIGKILL");
      await ended.exited;
    },
    stop: async () => running?.stop(),
    /** Runs a command of `rabbitmqctl` on this node. Returns its JSON. */
    ask: async (...args: string[]): Promise<unknown> => {
      const command = join(dirname(server), "rabbitmqctl");
      const asked = ["-n", erlangName, "-q", ...args, "--formatter", "json"];
      const own = { env: nodeEnvironment(place, config, env), timeout: commandTimeoutMs };
      const { stdout } = await run(command, asked, own);
      return JSON.parse(stdout);
    },
  };
}

type Queue = { readonly name: string; readonly leader: string };

const hostedName = (folder: string): string => `${nodeName(folder)}@localhost`;

function definitionsOf(password: string) {
  const everything = { configure: ".*", write: ".*", read: ".*" };
  return {
    vhosts: [{ name: vhost }],
    users: [{ name: user, password, tags: "administrator" }],
    permissions: [{ user, vhost, ...everything }],
    exchanges: [],
  };
}
