import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { startEngine } from "@disburse/embedded/engine.ts";
import { UsageError } from "@disburse/harness/command-line.ts";

/** The databases of a data folder, as long as they are looked at. */
export type OpenFolder = { readonly uri: string; readonly close: () => Promise<void> };

/**
 * Opens the databases of a folder of `npm start`: over the socket of the engine that has them open,
 * or with an engine of our own. Throws where a `mongod` of somebody else has the folder.
 */
export async function openDataFolder(dataDir: string): Promise<OpenFolder> {
  if (!existsSync(dataDir)) throw new UsageError(`--data-dir: there is no folder ${dataDir}`);
  const socket = join(dataDir, "embedded", "sockets", "mongodb.sock");
  if (await isAnswered(socket)) {
    const uri = `mongodb://${encodeURIComponent(socket)}/?directConnection=true`;
    return { uri, close: () => Promise.resolve() };
  }
  const engine = await startEngine({
    dataDir,
    // Whoever waits for an answer of the engine is told by its connection.
    onExit: (how) => process.stderr.write(`The database engine has gone: ${how}.\n`),
  });
  return { uri: engine.uri("admin"), close: engine.stop };
}

/** The keys that the folder's platform seals with, if the folder has them. */
export function encryptionKeysOf(dataDir: string): string | undefined {
  const path = join(dataDir, "secrets.json");
  if (!existsSync(path)) return undefined;
  return (JSON.parse(readFileSync(path, "utf8")) as { encryptionKeys?: string }).encryptionKeys;
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
