import { join } from "node:path";
import { folderInUseError, prepareFolder } from "./data-folder.ts";
import { startEmbedded } from "./embedded-engine.ts";
import { onPath } from "./executables.ts";
import { freePorts } from "./free-ports.ts";
import { loaderPrefix } from "./libc.ts";
import {
  answers,
  type SupervisedProcess,
  startSupervised,
  waitUntilReady,
} from "./supervised-process.ts";

/** How an engine is started. */
export interface EngineOptions {
  /** Created where it is missing; embedded engine and mongod have a folder each in it. */
  dataDir: string;
  /** Called once, with how it ended, when the engine ends without `stop`. */
  onExit: (how: string) => void;
  /** At most so much data in memory; 256 by default, the minimum of a mongod. */
  cacheMegabytes?: number;
  /** Source of MONGODB_URI, PATH and DISBURSE_CACHE_DIR; this process's own by default. */
  env?: NodeJS.ProcessEnv;
}

/** Fits a development machine; a mongod's own default is half of all memory. */
const cacheMegabytesDefault = 256;

/** An engine that any MongoDB driver reaches. */
export interface Engine {
  kind: "external" | "mongod" | "embedded";
  /** The engine's process; undefined for an external one. */
  pid: number | undefined;
  /** A connection string for one database. */
  uri(database: string): string;
  /** Stops the engine and waits until it has ended. Leaves an external one alone. */
  stop(): Promise<void>;
}

/** Fetches what the engine will need, before the first start. */
export async function prepareEngine(env: NodeJS.ProcessEnv): Promise<void> {
  const external = (env.MONGODB_URI ?? "") !== "" || onPath("mongod", env) !== undefined;
  if (!external) await loaderPrefix(env);
}

/**
 * The MongoDB at MONGODB_URI, else a private mongod where one is on PATH, else the embedded engine.
 * Throws an error whose message says what to do.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const env = options.env ?? process.env;
  const external = env.MONGODB_URI;
  if (external !== undefined && external !== "") {
    return {
      kind: "external",
      pid: undefined,
      uri: (database) => withDatabase(external, database),
      stop: () => Promise.resolve(),
    };
  }
  const cacheMegabytes = options.cacheMegabytes ?? cacheMegabytesDefault;
  const mongod = onPath("mongod", env);
  if (mongod !== undefined) {
    const { process: child, port } = await startMongod(
      mongod,
      join(options.dataDir, "mongod"),
      cacheMegabytes,
      env,
    );
    const address = `mongodb://127.0.0.1:${port}/?directConnection=true`;
    return running("mongod", child, address, options);
  }
  const folder = join(options.dataDir, "embedded");
  const { process: child, socket } = await startEmbedded(folder, cacheMegabytes, env);
  const address = `mongodb://${encodeURIComponent(socket)}/?directConnection=true`;
  return running("embedded", child, address, options);
}

function running(
  kind: Engine["kind"],
  child: SupervisedProcess,
  address: string,
  { onExit }: EngineOptions,
): Engine {
  let stopping = false;
  void child.exited.then((how) => {
    if (!stopping) onExit(how);
  });
  return {
    kind,
    pid: child.pid,
    uri: (database) => withDatabase(address, database),
    stop: () => {
      stopping = true;
      return child.stop();
    },
  };
}

const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;
/** The minimum of a mongod. */
const cacheMegabytesMin = 256;

/** Runs the machine's mongod on a folder, on a free port of the loopback address. */
async function startMongod(
  command: string,
  folder: string,
  cacheMegabytes: number,
  env: NodeJS.ProcessEnv,
): Promise<{ process: SupervisedProcess; port: number }> {
  prepareFolder(folder);
  const [port] = (await freePorts(1)) as [number];
  const cacheGigabytes = String(Math.max(cacheMegabytes, cacheMegabytesMin) / 1_024);
  const logFile = join(folder, "..", "mongod.log");
  const child = await startSupervised({
    command,
    args: [
      ...["--dbpath", folder],
      ...["--bind_ip", "127.0.0.1", "--port", String(port), "--nounixsocket"],
      ...["--wiredTigerCacheSizeGB", cacheGigabytes, "--quiet"],
    ],
    env: { PATH: env.PATH, HOME: env.HOME },
    logFile,
    stopTimeoutMs,
  });
  try {
    await waitUntilReady({
      name: command,
      process: child,
      ready: () => answers({ host: "127.0.0.1", port }),
      timeoutMs: startTimeoutMs,
      logFile,
    });
  } catch (cause) {
    throw String(cause).includes("DBPathInUse") ? folderInUseError(folder, cause) : cause;
  }
  return { process: child, port };
}

const shape =
  /^(?<hosts>mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/;

/**
 * A connection string that has `database` as its default one. The database named in the
 * original keeps its other meaning, where the credentials are looked up.
 */
export function withDatabase(uri: string, database: string): string {
  const parts = shape.exec(uri)?.groups;
  if (parts?.hosts === undefined) {
    throw new Error("MONGODB_URI is not a connection string: it has to begin with mongodb://");
  }
  const query = new URLSearchParams(parts.query);
  const byPassword = (query.get("authMechanism") ?? "SCRAM").startsWith("SCRAM");
  if (parts.hosts.includes("@") && byPassword && !query.has("authSource")) {
    query.set("authSource", parts.database || "admin");
  }
  const options = query.size === 0 ? "" : `?${query}`;
  return `${parts.hosts}/${database}${options}`;
}
