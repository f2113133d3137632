import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { startEngine } from "@disburse/embedded/engine.ts";
import { UsageError } from "@disburse/harness/command-line.ts";

/**
 * Opens the databases of a data folder. Uses the socket of a running engine, or starts an engine.
 * Throws if another `mongod` uses the folder.
 */
export async function openDataFolder(dataDir: string) {
  if (!existsSync(dataDir))
    throw new UsageError(`--data-dir: the folder ${dataDir} does not exist`);
  const socket = join(dataDir, "embedded", "sockets", "mongodb.sock");
  if (await isAnswered(socket)) {
    const uri = `mongodb://${encodeURIComponent(socket)}/?directConnection=true`;
    return { uri, close: () => Promise.resolve() };
  }
  const engine = await startEngine({
    dataDir,
    // If the engine ends, later calls fail with a connection error. This message gives the reason.
    onExit: (how) => process.stderr.write(`The database engine has ended: ${how}.\n`),
  });
  return { uri: engine.uri("admin"), close: engine.stop };
}

function isAnswered(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once("connect", () => {
      connection.destroy();
      resolve(true);
    });
    connection.once("error", () => resolve(false));
  });
}
