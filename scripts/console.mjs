// Builds the console if its sources have changed since the last build.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runNode } from "./foreground.mjs";

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
  const hash = hashOf(root);
  const stamp = join(root, folder, "dist", ".sources-hash");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return 0;
  process.stderr.write("Building the console: its sources are new or have changed.\n");
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  const code = await runNode(node, [vite, "build", "--logLevel", "warn"], {
    cwd: join(root, folder),
  });
  if (code === 0) writeFileSync(stamp, hash);
  else process.stderr.write("The console was not built.\n");
  return code;
}

function hashOf(root) {
  const hash = createHash("sha256");
  for (const path of inputs.flatMap((each) => filesOf(join(root, each)))) {
    hash.update(path.slice(root.length)).update(readFileSync(path));
  }
  return hash.digest("hex");
}

function filesOf(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .filter((name) => !name.includes(".test."))
    .sort()
    .map((name) => join(path, name))
    .filter((each) => statSync(each).isFile());
}
