import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  isServing,
  type SupervisedProcess,
  startSupervised,
} from "@disburse/embedded/supervised-process.ts";
import { MongoClient } from "mongodb";

/** One `mongod` of a replica set, on its own folder and port. */
export type Member = ReturnType<typeof createMember>;

export const setName = "rs0";
/** After a kill a member first replays its journal. */
const startTimeoutMs = 60_000;
/** A primary steps down before it ends, and waits up to 15 s for its operations. */
const stopTimeoutMs = 40_000;
/** A member that hangs doesn't respond. */
const answerMs = 2_000;

export type MemberOptions = {
  readonly mongod: string;
  readonly name: string;
  /** Contains the data, and a log for each start. */
  readonly folder: string;
  readonly port: number;
};

export function createMember({ mongod, name, folder, port }: MemberOptions) {
  const data = join(folder, name);
  mkdirSync(data, { recursive: true });
  let child: SupervisedProcess | undefined;
  let starts = 0;
  const logFile = () => join(folder, `${name}-${starts}.log`);
  const running = (): SupervisedProcess => {
    if (child === undefined) throw new Error(`${name} is not running`);
    return child;
  };
  // Not through the proxy: faults of the network don't affect it.
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/admin`, {
    directConnection: true,
    serverSelectionTimeoutMS: answerMs,
    socketTimeoutMS: answerMs,
  });
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    const ended = running();
    child = undefined;
    process.kill(ended.pid, signal);
    await ended.exited;
  };
  return {
    name,
    port,
    client,
    pid: (): number | undefined => child?.pid,
    start: async () => {
      starts += 1;
      child = await startSupervised({
        name: `The database member ${name}`,
        command: mongod,
        args: argumentsOf(data, port),
        env: {},
        logFile: logFile(),
        ready: () => isServing({ host: "127.0.0.1", port }),
        startTimeoutMs,
        stopTimeoutMs,
      });
    },
    kill: () => end("SIGKILL"),
    /** A shutdown as for an upgrade. A primary steps down first. */
    shutDown: () => end("SIGTERM"),
    signal: (signal: NodeJS.Signals) => void process.kill(running().pid, signal),
    /** Elections that this member has started because it missed a primary, since it started. */
    countElections: (): number =>
      readFileSync(logFile(), "utf8").split("Starting an election, since").length - 1,
    /** A shutdown would wait up to 15 s for clients to notice it. The data is not needed. */
    stop: async () => {
      await client.close();
      if (child !== undefined) await end("SIGKILL");
    },
  };
}

function argumentsOf(data: string, port: number): string[] {
  const settings = [
    "enableTestCommands=1",
    "diagnosticDataCollectionEnabled=false",
    // A secondary whose sync source hangs looks for another one at once. Otherwise it tries the same
    // one again, and the new primary has no majority for 5 to 10 s more.
    "oplogFetcherSteadyStateMaxFetcherRestarts=0",
    // That timeout is 5 s and this buffer. With the default of 5 s it can come before the failed
    // heartbeat, and the secondary then chooses the source that hangs once more.
    "oplogNetworkTimeoutBufferSeconds=7",
  ];
  return [
    ...["--dbpath", data, "--replSet", setName, "--bind_ip", "127.0.0.1", "--port", String(port)],
    ...["--wiredTigerCacheSizeGB", "0.3", "--oplogSize", "512", "--nounixsocket"],
    ...settings.flatMap((setting) => ["--setParameter", setting]),
  ];
}
