// Starts a program that needs test banks and nodes: `node scripts/rails.mjs ENTRY.ts [ARG...]` does
// the same as scripts/launch.mjs, after it has tried to install an OpenSSH server.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureDependencies } from "./dependencies.mjs";
import { runNode } from "./foreground.mjs";
import { ensureNode } from "./node.mjs";
import { tryOpenSsh } from "./openssh.mjs";
import { runMain, StartError } from "./start-error.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

await runMain(async () => {
  const [entry, ...args] = process.argv.slice(2);
  if (entry === undefined) throw new StartError("usage: rails.mjs ENTRY.ts [ARGUMENT...]");
  const node = await ensureNode();
  await ensureDependencies(root, node);
  await tryOpenSsh();
  return runNode(node, [entry, ...args], { cwd: root });
});
