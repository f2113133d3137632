import { readlink, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { MongoClient } from "mongodb";
import { folderInUseError, prepareFolder, socketFolder } from "./data-folder.ts";
import { loaderPrefix } from "./libc.ts";
import { answers, waitUntilReady } from "./readiness.ts";
import { recordProcesses, stopStaleProcesses } from "./stale-processes.ts";
import { type SupervisedProcess, startSupervised } from "./supervised-process.ts";

/** Opening takes under a second; after a crash the journal is read first. */
const startTimeoutMs = 60_000;
/** Closing waits for the operations in flight and writes a checkpoint. */
const stopTimeoutMs = 15_000;

/**
 * The engine allocates from many threads with the C library's allocator, whose default is an arena
 * for each, and for all sizes: what is freed between two pieces in use stays with the process.
 * Busy documents, which are copied whole with each change, left 60 MB of such holes. Few arenas
 * share them, and pieces from this size on are given back when they are freed.
 */
const allocator = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "32768" };

const host = join(import.meta.dirname, "engine-host.ts");

/** A running embedded engine and the Unix socket it serves. */
export interface EmbeddedEngine {
  process: SupervisedProcess;
  socket: string;
}

/** Opens the folder with MongoDB's own engine in a process of its own. */
export async function startEmbedded(
  folder: string,
  cacheMegabytes: number,
  env: NodeJS.ProcessEnv,
): Promise<EmbeddedEngine> {
  prepareFolder(folder);
  const prefix = await loaderPrefix(env);
  const note = join(folder, "processes.json");
  await stopStaleProcesses(note, { folder, timeoutMs: stopTimeoutMs });
  const sockets = await socketFolder();
  const socket = join(sockets, "mongodb.sock");
  const data = join(folder, "data");
  const [command = process.execPath, ...args] = [...prefix, process.execPath, host, data, socket];
  const logFile = join(folder, "engine.log");
  const child = await startSupervised({
    command,
    args,
    env: { PATH: env.PATH, HOME: env.HOME, TMPDIR: sockets, ...allocator },
    logFile,
    stopTimeoutMs,
  });
  void child.exited.then(() => rm(sockets, { recursive: true, force: true }));
  await recordProcesses(note, [{ child, mark: data }]);
  await waitUntilReady({
    name: "The embedded MongoDB engine",
    process: child,
    ready: () => answers({ path: socket }),
    timeoutMs: startTimeoutMs,
    logFile,
  }).catch((cause: unknown) => {
    throw String(cause).includes("DBPathInUse") ? folderInUseError(folder, cause) : cause;
  });
  await limitCache(socket, cacheMegabytes);
  await rememberSockets(folder, sockets);
  return { process: child, socket };
}

/** The engine takes no settings when it is opened; this one it takes while it runs. */
async function limitCache(socket: string, megabytes: number): Promise<void> {
  const client = new MongoClient(`mongodb://${encodeURIComponent(socket)}/?directConnection=true`);
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
 * Notes where the sockets are, and removes the ones of an engine that was killed together with
 * all who watched over it: the folder is locked by now, so that engine is gone.
 */
async function rememberSockets(folder: string, sockets: string): Promise<void> {
  const note = join(folder, "sockets");
  const earlier = await readlink(note).catch(() => undefined);
  if (earlier !== undefined && basename(earlier).startsWith("disburse-")) {
    await rm(earlier, { recursive: true, force: true });
  }
  await rm(note, { force: true });
  await symlink(sockets, note);
}
