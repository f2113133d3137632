import { join } from "node:path";
import { folderInUseError, prepareFolder } from "./data-folder.ts";
import { freePorts } from "./free-ports.ts";
import { answers, waitUntilReady } from "./readiness.ts";
import { type SupervisedProcess, startSupervised } from "./supervised-process.ts";

const startTimeoutMs = 60_000;
const stopTimeoutMs = 15_000;
/** A mongod takes no less. */
const cacheMegabytesMin = 256;

/** A private mongod and the port on 127.0.0.1 that it serves. */
export interface PrivateMongod {
  process: SupervisedProcess;
  port: number;
}

/** Runs a mongod of the machine on a folder of ours, on a free port of the loopback address. */
export async function startMongod(
  command: string,
  folder: string,
  cacheMegabytes: number,
  env: NodeJS.ProcessEnv,
): Promise<PrivateMongod> {
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
