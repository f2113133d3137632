import { readlink, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { MongoClient } from "mongodb";
import { folderInUseError, prepareFolder, socketFolder } from "./data-folder.ts";
import { loaderPrefix } from "./libc.ts";
import { recordProcesses, stopStaleProcesses } from "./stale-processes.ts";
import { isServing, startSupervised } from "./supervised-process.ts";

/**
 * The time limit of a start. Usually a start takes under a second. After a crash the journal is
 * read first.
 */
export const startTimeoutMs = 60_000;
/** The time limit of a stop, which waits for running operations and writes a checkpoint. */
export const stopTimeoutMs = 15_000;

/**
 * Settings of the C library's memory allocator. By default it has an arena for each of the engine's
 * many threads and returns little freed memory. Documents that are copied on each change left 60 MB
 * of fragments. With two shared arenas and this threshold, freed blocks are returned immediately.
 */
const allocator = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "32768" };

const host = join(import.meta.dirname, "engine-host.ts");

/**
 * Creates an error handler that rethrows the cause, or explains that another process uses the
 * folder.
 */
export function startError(folder: string) {
  return (cause: unknown): never => {
    throw String(cause).includes("DBPathInUse") ? folderInUseError(folder, cause) : cause;
  };
}

/** Runs MongoDB's embedded engine in its own process. */
export async function startEmbedded(
  folder: string,
  cacheMegabytes: number,
  env: NodeJS.ProcessEnv,
) {
  prepareFolder(folder);
  const prefix = await loaderPrefix(env);
  const record = join(folder, "processes.json");
  await stopStaleProcesses(record, { folder, timeoutMs: stopTimeoutMs });
  const sockets = await socketFolder();
  const socket = join(sockets, "mongodb.sock");
  const data = join(folder, "data");
  const [command = process.execPath, ...args] = [...prefix, process.execPath, host, data, socket];
  const child = await startSupervised({
    name: "The embedded MongoDB engine",
    command,
    args,
    env: { PATH: env.PATH, HOME: env.HOME, TMPDIR: sockets, ...allocator },
    logFile: join(folder, "engine.log"),
    onStart: (started) => {
      // If the files can't be removed, they stay in the system's temporary folder.
      const emptied = () => rm(sockets, { recursive: true, force: true }).catch(() => undefined);
      started.exited.then(emptied, emptied);
      return recordProcesses(record, [{ child: started, mark: data }]);
    },
    ready: () => isServing({ path: socket }),
    startTimeoutMs,
    stopTimeoutMs,
  }).catch(startError(folder));
  const address = `mongodb://${encodeURIComponent(socket)}/?directConnection=true`;
  await limitCache(address, cacheMegabytes);
  await recordSockets(folder, sockets);
  return { child, address };
}

/** Limits the cache after the start, because the engine accepts this setting only while it runs. */
async function limitCache(address: string, megabytes: number): Promise<void> {
  const client = new MongoClient(address);
  try {
    await client.db("admin").command({
      setParameter: 1,
      wiredTigerEngineRuntimeConfig: `cache_size=${megabytes}M`,
    });
  } finally {
    await client.close();
  }
}

/**
 * Records the folder with the sockets. Removes the folder of an engine that was killed. The caller
 * must hold the data folder's lock.
 */
async function recordSockets(folder: string, sockets: string): Promise<void> {
  const link = join(folder, "sockets");
  const earlier = await readlink(link).catch(() => undefined);
  if (earlier !== undefined && basename(earlier).startsWith("disburse-")) {
    await rm(earlier, { recursive: true, force: true });
  }
  await rm(link, { force: true });
  await symlink(sockets, link);
}
