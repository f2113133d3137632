import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { prepareFolder } from "./data-folder.ts";
import { startEmbedded, startError, startTimeoutMs, stopTimeoutMs } from "./embedded-engine.ts";
import { onPath } from "./executables.ts";
import { freePorts } from "./free-ports.ts";
import { loaderPrefix } from "./libc.ts";
import { isServing, startSupervised } from "./supervised-process.ts";

export interface EngineOptions {
  /**
   * The data folder, which is created if it is missing. The embedded engine and mongod each use
   * their own subfolder.
   */
  dataDir: string;
  /** Called once, with the exit status or signal, when the engine ends without `stop`. */
  onExit: (how: string) => void;
  /**
   * The maximum size of the data cache in MB. The default is 256, which is also mongod's minimum.
   */
  cacheMegabytes?: number;
  /**
   * Called with an explanation if a mongod on PATH can't be used. By default the text goes to
   * standard error.
   */
  onNote?: (line: string) => void;
  /**
   * The environment with MONGODB_URI, PATH and DISBURSE_CACHE_DIR. The default is this process's
   * own.
   */
  env?: NodeJS.ProcessEnv;
}

/** Small enough for a development machine. mongod's own default is half of all memory. */
const cacheMegabytesDefault = 256;

export interface Engine {
  kind: "external" | "mongod" | "embedded";
  pid: number | undefined;
  uri(database: string): string;
  /** Stops the engine and waits until it has ended. An external engine is not stopped. */
  stop(): Promise<void>;
}

/** Downloads the engine's dependencies before the first start. */
export async function prepareEngine(env: NodeJS.ProcessEnv): Promise<void> {
  if ((env.MONGODB_URI ?? "") !== "") return;
  if ((await usableMongod(env)) === undefined) await loaderPrefix(env);
}

/**
 * The oldest major version that is used without being named by MONGODB_URI. MongoDB 8.0 is the
 * first version with bulk writes over several collections.
 */
const majorVersionMin = 8;
const versionTimeoutMs = 10_000;

/**
 * Finds a mongod on PATH that is recent enough. Debian, Ubuntu and Homebrew have older versions.
 */
export async function usableMongod(
  env: NodeJS.ProcessEnv,
  onNote = (line: string): void => void process.stderr.write(`${line}\n`),
): Promise<string | undefined> {
  const mongod = onPath("mongod", env);
  if (mongod === undefined) return undefined;
  const options = { env: { PATH: env.PATH }, timeout: versionTimeoutMs };
  const { stdout } = await promisify(execFile)(mongod, ["--version"], options).catch(() => ({
    stdout: "",
  }));
  const version = /db version v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version !== undefined && Number.parseInt(version, 10) >= majorVersionMin) return mongod;
  const problem =
    version === undefined
      ? "The mongod on PATH does not print its version"
      : `The mongod on PATH has version ${version}, but Disburse needs 8.0`;
  onNote(`${problem}: the embedded engine runs in place of ${mongod}.`);
  return undefined;
}

/**
 * Uses MONGODB_URI if it is set. Otherwise uses a mongod 8.0 or later on PATH, or else the embedded
 * engine. Error messages explain what to do.
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
  const { dataDir, cacheMegabytes = cacheMegabytesDefault } = options;
  const mongod = await usableMongod(env, options.onNote);
  const kind = mongod === undefined ? "embedded" : "mongod";
  const { child, address } =
    mongod === undefined
      ? await startEmbedded(join(dataDir, kind), cacheMegabytes, env)
      : await startMongod(mongod, join(dataDir, kind), cacheMegabytes, env);
  child.onLost(options.onExit);
  const uri = (database: string) => withDatabase(address, database);
  return { kind, pid: child.pid, uri, stop: child.stop };
}

const cacheMegabytesMin = 256;

async function startMongod(
  command: string,
  folder: string,
  cacheMegabytes: number,
  env: NodeJS.ProcessEnv,
) {
  prepareFolder(folder);
  const [port] = (await freePorts(1)) as [number];
  const cacheGigabytes = String(Math.max(cacheMegabytes, cacheMegabytesMin) / 1_024);
  const child = await startSupervised({
    name: command,
    command,
    args: [
      ...["--dbpath", folder],
      ...["--bind_ip", "127.0.0.1", "--port", String(port), "--nounixsocket"],
      ...["--wiredTigerCacheSizeGB", cacheGigabytes, "--quiet"],
    ],
    env: { PATH: env.PATH, HOME: env.HOME },
    logFile: join(folder, "..", "mongod.log"),
    ready: () => isServing({ host: "127.0.0.1", port }),
    startTimeoutMs,
    stopTimeoutMs,
  }).catch(startError(folder));
  return { child, address: `mongodb://127.0.0.1:${port}/?directConnection=true` };
}

const shape =
  /^(?<hosts>mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/;

/** Replaces the database in a URI. Credentials still authenticate against the original database. */
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
