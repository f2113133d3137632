import { join } from "node:path";
import { startEmbedded } from "./embedded-engine.ts";
import { onPath } from "./executables.ts";
import { loaderPrefix } from "./libc.ts";
import { startMongod } from "./mongod.ts";
import { withDatabase } from "./mongodb-uri.ts";
import type { SupervisedProcess } from "./supervised-process.ts";

/** Where an engine keeps its data, and who is told when it ends unasked. */
export interface EngineOptions {
  /** Made if it is not there. The embedded engine and a mongod keep their data apart in it. */
  dataDir: string;
  /** Called once, with how it ended, when the engine goes away without `stop`. */
  onExit: (how: string) => void;
  /** What it keeps of the data in memory, at most; 256 by default, which is a mongod's least. */
  cacheMegabytes?: number;
  /** Where MONGODB_URI, PATH and DISBURSE_CACHE_DIR are read; this process's own by default. */
  env?: NodeJS.ProcessEnv;
}

/** A development machine's share; a mongod's own default is half of all memory. */
const cacheMegabytesDefault = 256;

/** An engine that any MongoDB driver reaches. */
export interface Engine {
  kind: "external" | "mongod" | "embedded";
  /** The engine's own process; undefined for an external one. */
  pid: number | undefined;
  /** A connection string for one database. */
  uri(database: string): string;
  /** Ends the engine and waits for that. Leaves an external one alone. */
  stop(): Promise<void>;
}

/** Fetches ahead of the first start what the engine will need, if it will need anything. */
export async function prepareEngine(env: NodeJS.ProcessEnv): Promise<void> {
  const external = (env.MONGODB_URI ?? "") !== "" || onPath("mongod", env) !== undefined;
  if (!external) await loaderPrefix(env);
}

/**
 * The MongoDB to work with: the one MONGODB_URI names, else a private mongod where one is on
 * PATH, else the embedded engine. Throws an error whose message says what to do.
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
