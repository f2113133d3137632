import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { firstExecutable, onPath } from "./executables.ts";
import { freePorts } from "./free-ports.ts";
import { recordProcesses } from "./stale-processes.ts";
import { isServing, type SupervisedProcess, startSupervised } from "./supervised-process.ts";

/**
 * The time limit of a start. A start takes 3 to 5 s on an idle machine. After a crash the queues
 * are recovered first.
 */
const startTimeoutMs = 180_000;
/** The time limit of a stop. A node needs one or two seconds to close its queues. */
const stopTimeoutMs = 20_000;

/**
 * The maximum size of the quorum queues' log. The log stays in memory until it is full. RabbitMQ's
 * default is 512 MB.
 */
const walBytesMax = 16 * 1_024 * 1_024;

/** The header that an AMQP 0-9-1 client sends first. A server replies when it is ready. */
const protocolHeader = Buffer.from("AMQP\x00\x00\x09\x01", "latin1");

/** Debian's and Fedora's packages install this script, which needs no privileges. */
const packagedServer = "/usr/lib/rabbitmq/bin/rabbitmq-server";

/** Returns the script that runs a node as this user. The wrapper on PATH requires root. */
export function rabbitmqServer(env: NodeJS.ProcessEnv): string | undefined {
  return firstExecutable([packagedServer]) ?? onPath("rabbitmq-server", env);
}

export interface BrokerDefinitions {
  vhosts: readonly object[];
  users: readonly object[];
  permissions: readonly object[];
  exchanges: readonly object[];
}

export interface NodeOptions {
  server: string;
  folder: string;
  record: string;
  /** Definitions that are merged into the node's own. Existing definitions are never removed. */
  definitions: BrokerDefinitions;
  /** Called with the port that the node will listen on, and Erlang's own ports. */
  onPorts: (port: number, others: readonly number[]) => void;
}

/**
 * Starts a private node with its own ports, names, cookie and data. Records its processes, so that
 * the next start can stop them.
 */
export async function startNode(
  { server, folder, record, definitions, onPorts }: NodeOptions,
  env: NodeJS.ProcessEnv,
) {
  const [amqp, dist, names] = (await freePorts(3)) as [number, number, number];
  onPorts(amqp, [dist, names]);
  const epmd = await startEpmd(names, folder, env);
  const onStart = (child: SupervisedProcess) => {
    // If the node does not end first, its supervisor ends it together with this process.
    child.exited.then(epmd.stop).catch(() => undefined);
    const marked = [
      { child, mark: nodeName(folder) },
      { child: epmd, mark: epmdMark(names) },
    ];
    return recordProcesses(record, marked);
  };
  const place = { folder, amqp, dist, names };
  const node = await runNode({ server, place, definitions, onStart }, env);
  return { node, epmd, port: amqp };
}

export interface NodeProcessOptions {
  server: string;
  place: Placement;
  definitions: BrokerDefinitions;
  /** Further lines of `rabbitmq.conf`, as for a cluster. */
  config?: readonly string[];
  onStart?: (child: SupervisedProcess) => Promise<void>;
}

/** Runs a node under this user, beside an `epmd` that the caller has started. */
export function runNode(options: NodeProcessOptions, env: NodeJS.ProcessEnv) {
  const { server, place, definitions, config = [], onStart } = options;
  const { folder, amqp } = place;
  writeFileSync(join(folder, "definitions.json"), JSON.stringify(definitions), { mode: 0o600 });
  return startSupervised({
    name: "The private RabbitMQ node",
    command: server,
    // Erlang ignores unknown flags; this one identifies the node.
    args: ["-disburse", nodeName(folder)],
    env: nodeEnvironment(place, config, env),
    cwd: folder,
    logFile: join(folder, "node-output.log"),
    ...(onStart && { onStart }),
    ready: () => isNodeServing(amqp),
    startTimeoutMs,
    stopTimeoutMs,
  });
}

/** Returns true if a node accepts clients. In a cluster, a paused node doesn't. */
export function isNodeServing(port: number): Promise<boolean> {
  return isServing({ host: "127.0.0.1", port }, protocolHeader);
}

/**
 * Starts Erlang's name server. Otherwise the node would start one as a daemon that keeps running
 * after the node has ended.
 */
export function startEpmd(port: number, folder: string, env: NodeJS.ProcessEnv) {
  return startSupervised({
    name: "Erlang's name server (epmd)",
    command: epmdCommand(env),
    args: ["-port", String(port), "-address", "127.0.0.1"],
    env: { PATH: env.PATH },
    logFile: join(folder, "epmd.log"),
    ready: () => isServing({ host: "127.0.0.1", port }),
    startTimeoutMs,
    stopTimeoutMs: 1_000,
  });
}

const epmdMark = (port: number): string => `-port ${port} -address 127.0.0.1`;

function epmdCommand(env: NodeJS.ProcessEnv): string {
  const erl = onPath("erl", env);
  const beside = erl === undefined ? [] : [join(dirname(realpathSync(erl)), "epmd")];
  const found = onPath("epmd", env) ?? firstExecutable(beside);
  if (found === undefined) {
    throw new Error("RabbitMQ is installed, but Erlang's erl and epmd are not on PATH.");
  }
  return found;
}

/**
 * Returns a name that is constant for each folder, because the queues' storage depends on the
 * node's name.
 */
export function nodeName(folder: string): string {
  return `disburse-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
}

type Placement = { folder: string; amqp: number; dist: number; names: number };

/** Sets every variable, so that machine-wide configuration doesn't apply. */
export function nodeEnvironment(
  place: Placement,
  config: readonly string[],
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const { folder, amqp, dist, names } = place;
  const emptyFolder = join(folder, "conf.d");
  mkdirSync(emptyFolder, { recursive: true });
  writeFileSync(join(folder, "env.conf"), "");
  writeFileSync(join(folder, "enabled_plugins"), "[].\n");
  writeFileSync(
    join(folder, "rabbitmq.conf"),
    `listeners.tcp.local = 127.0.0.1:${amqp}\nlog.console = false\nlog.file.level = warning\n` +
      `raft.wal_max_size_bytes = ${walBytesMax}\n` +
      `load_definitions = ${join(folder, "definitions.json")}\n` +
      config.map((line) => `${line}\n`).join(""),
  );
  return {
    PATH: env.PATH,
    LANG: "C.UTF-8",
    HOME: folder,
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    // Makes the start script exec the node, so that its pid is known.
    RUNNING_UNDER_SYSTEMD: "true",
    // Uses `localhost` because the machine's host name may change between two starts.
    RABBITMQ_NODENAME: `${nodeName(folder)}@localhost`,
    RABBITMQ_DIST_PORT: String(dist),
    RABBITMQ_CONF_ENV_FILE: join(folder, "env.conf"),
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
    RABBITMQ_CONFIG_FILES: emptyFolder,
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, "advanced.config"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "enabled_plugins"),
    RABBITMQ_MNESIA_BASE: join(folder, "data"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_PID_FILE: join(folder, "node.pid"),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, "generated"),
    RABBITMQ_FEATURE_FLAGS_FILE: join(folder, "feature_flags"),
    // Keeps Erlang's own connections on the loopback address too.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
  };
}
