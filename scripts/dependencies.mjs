// Checks that the installed packages match the lockfile.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installFrom, notReached } from "./npm.mjs";

/** Installs the root's dependencies if they differ from the lockfile. */
export async function ensureDependencies(root, node) {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  const hash = createHash("sha256").update(text).digest("hex");
  const stamp = join(root, "node_modules", ".disburse-lock-hash");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  const lock = JSON.parse(text);
  // After a manual `npm install` there is no stamp, and nothing to install either.
  if (differences(lock, root).length > 0) {
    const what = "dependencies";
    const instead = "run `npm ci` on a machine with network access and copy node_modules here";
    const output = await installFrom(root, { what, instead, node });
    // npm skips an optional binary that it could not fetch.
    const [missing] = differences(lock, root);
    if (missing !== undefined) throw notReached({ what: missing, instead, output });
  }
  writeFileSync(stamp, hash);
}

/** Lists the differences between npm's record of node_modules and the lockfile. */
function differences(lock, root) {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return ["node_modules"];
  const installed = JSON.parse(readFileSync(record, "utf8")).packages;
  const wanted = Object.entries(lock.packages).filter(([path]) => path.includes("node_modules/"));
  const missing = wanted.filter(([path, entry]) => !installed[path] && isNeeded(entry));
  const other = wanted.filter(([path, entry]) => installed[path] && !same(installed[path], entry));
  const extra = Object.keys(installed).filter((path) => !lock.packages[path]);
  return [...missing.map(([path]) => path), ...other.map(([path]) => path), ...extra];
}

function same(installed, wanted) {
  const fields = ["version", "integrity", "resolved"].filter((key) => wanted[key] !== undefined);
  return fields.every((key) => installed[key] === wanted[key]);
}

/**
 * False for optional packages, which are binaries for one platform each, and their dependencies.
 */
function isNeeded({ optional, peer, os, cpu, libc }) {
  if (!optional) return !peer;
  const fits = (wanted, own) => wanted === undefined || [wanted].flat().includes(own);
  const forOnePlatform = os !== undefined && cpu !== undefined;
  return (
    forOnePlatform &&
    fits(os, process.platform) &&
    fits(cpu, process.arch) &&
    fits(libc, libcHere())
  );
}

function libcHere() {
  if (process.platform !== "linux") return undefined;
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc";
}
