// Builds the console if its sources have changed since the last build.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runNode } from "./foreground.mjs";
import { isBuilt, sourceHash } from "./source-hash.mjs";

const folder = "packages/console";

/** Inputs of the build, relative to the root. */
const inputs = [
  ...["index.html", "package.json", "vite.config.ts", "src"].map((name) => `${folder}/${name}`),
  ...["packages/contracts/src/gen", "package-lock.json"],
];

/**
 * Builds the console if possible; returns the exit code. Without it the platform still makes
 * payments, and the gateway shows at `/console/` that the console is missing.
 */
export async function tryConsole(root, node) {
  const hash = sourceHash(root, inputs);
  const stamp = join(root, folder, "dist", ".sources-hash");
  if (isBuilt(stamp, hash)) return 0;
  process.stderr.write("Building the console: its sources are new or have changed.\n");
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  const code = await runNode(node, [vite, "build", "--logLevel", "warn"], {
    cwd: join(root, folder),
  });
  if (code === 0) writeFileSync(stamp, hash);
  else process.stderr.write("The console was not built.\n");
  return code;
}
