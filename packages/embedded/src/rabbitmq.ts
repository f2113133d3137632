import { createHash } from "node:crypto";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { firstExecutable, onPath } from "./executables.ts";
import { freePorts } from "./free-ports.ts";
import { answers, waitUntilReady } from "./readiness.ts";
import { recordProcesses } from "./stale-processes.ts";
import { type SupervisedProcess, startSupervised } from "./supervised-process.ts";

/** Booting takes 3 to 5 s on a free machine; after a crash queues are recovered first. */
const startTimeoutMs = 90_000;
/** A node that was asked to stop needs a second or two to close its queues. */
const stopTimeoutMs = 20_000;

/**
 * Quorum queues keep in memory what is in their log, acknowledged or not, until the log is full:
 * by default 512 MB of it, 2.5 kB for each payout.
 */
const walBytesMax = 16 * 1_024 * 1_024;

/** What an AMQP 0-9-1 client says first; a server that is ready answers with its own start. */
const protocolHeader = Buffer.from("AMQP\x00\x00\x09\x01", "latin1");

/** The first of these is a symlink farm of Debian's and Fedora's packages, and needs no rights. */
const packagedServer = "/usr/lib/rabbitmq/bin/rabbitmq-server";

/** A running private node. */
export interface PrivateNode {
  node: SupervisedProcess;
  epmd: SupervisedProcess;
  port: number;
}

/**
 * The script that runs a node in the foreground as the present user. Packages put a wrapper on
 * PATH that insists on root or on a system user; theirs is passed over for the script it wraps.
 */
export function rabbitmqServer(env: NodeJS.ProcessEnv): string | undefined {
  return firstExecutable([packagedServer]) ?? onPath("rabbitmq-server", env);
}

/**
 * Boots a node of our own: ports, names, cookie, data and logs touch no other node's. Writes who
 * works on the folder to the file `note`.
 */
export async function startNode(
  server: string,
  folder: string,
  note: string,
  env: NodeJS.ProcessEnv,
): Promise<PrivateNode> {
  const [amqp, dist, names] = (await freePorts(3)) as [number, number, number];
  const epmd = await startEpmd(names, folder, env);
  const logFile = join(folder, "node-output.log");
  const mark = nodeName(folder);
  const node = await startSupervised({
    command: server,
    // Erlang ignores a flag it does not know; it is there to tell whose node this is.
    args: ["-disburse", mark],
    env: nodeEnvironment({ folder, amqp, dist, names }, env),
    cwd: folder,
    logFile,
    stopTimeoutMs,
  });
  void node.exited.then(() => epmd.stop());
  await recordProcesses(note, [
    { child: node, mark },
    { child: epmd, mark: epmdMark(names) },
  ]);
  await waitUntilReady({
    name: "The private RabbitMQ node",
    process: node,
    ready: () => answers({ host: "127.0.0.1", port: amqp }, protocolHeader),
    timeoutMs: startTimeoutMs,
    logFile,
  });
  return { node, epmd, port: amqp };
}

/**
 * Erlang's name server, started here rather than left to the node: what a node starts outlives
 * it as a daemon that nobody would end.
 */
async function startEpmd(
  port: number,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<SupervisedProcess> {
  const logFile = join(folder, "epmd.log");
  const epmd = await startSupervised({
    command: epmdCommand(env),
    args: ["-port", String(port), "-address", "127.0.0.1"],
    env: { PATH: env.PATH },
    logFile,
    stopTimeoutMs: 1_000,
  });
  await waitUntilReady({
    name: "Erlang's name server (epmd)",
    process: epmd,
    ready: () => answers({ host: "127.0.0.1", port }),
    timeoutMs: startTimeoutMs,
    logFile,
  });
  return epmd;
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

/** The same for the same folder, for a node finds its queues by its own name. */
function nodeName(folder: string): string {
  return `disburse-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
}

interface Placement {
  folder: string;
  amqp: number;
  dist: number;
  names: number;
}

/** Settings come from here alone: a machine-wide configuration is for the machine's own node. */
function nodeEnvironment(place: Placement, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { folder, amqp, dist, names } = place;
  const emptyFolder = join(folder, "conf.d");
  mkdirSync(emptyFolder, { recursive: true });
  writeFileSync(join(folder, "env.conf"), "");
  writeFileSync(join(folder, "enabled_plugins"), "[].\n");
  writeFileSync(
    join(folder, "rabbitmq.conf"),
    `listeners.tcp.local = 127.0.0.1:${amqp}\nlog.console = false\nlog.file.level = warning\n` +
      `raft.wal_max_size_bytes = ${walBytesMax}\n`,
  );
  return {
    PATH: env.PATH,
    LANG: "C.UTF-8",
    HOME: folder,
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    // Makes the start script become the node instead of waiting for it, so that its pid is known.
    RUNNING_UNDER_SYSTEMD: "true",
    // Not this machine's host name, which may change between two starts.
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
    // Keeps the node on the loopback address for Erlang's own connections too.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
  };
}
