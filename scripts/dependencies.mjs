// Whether what is installed is what the lockfile says, at the price of reading it once.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installFrom } from "./npm.mjs";

/** Installs the root's dependencies when the lockfile is not the one they were installed from. */
export async function ensureDependencies(root, node) {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  const hash = createHash("sha256").update(text).digest("hex");
  const stamp = join(root, "node_modules", ".disburse-lock-hash");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  if (!agrees(JSON.parse(text), join(root, "node_modules", ".package-lock.json"))) {
    await installFrom(root, {
      what: "dependencies",
      instead: "run `npm ci` where there is one and copy node_modules here",
      node,
    });
  }
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(stamp, hash);
}

/**
 * Whether npm's own record of what it has put into node_modules (after an `npm install` by hand)
 * is what the lockfile asks for. Optional packages are other platforms' binaries.
 */
export function agrees(lock, recordFile) {
  if (!existsSync(recordFile)) return false;
  const installed = JSON.parse(readFileSync(recordFile, "utf8")).packages;
  const wanted = Object.entries(lock.packages).filter(([path]) => path.includes("node_modules/"));
  const same = (a, b) =>
    a.version === b.version && a.integrity === b.integrity && a.resolved === b.resolved;
  const missing = wanted.filter(
    ([path, entry]) => !installed[path] && !entry.optional && !entry.peer,
  );
  const other = wanted.filter(([path, entry]) => installed[path] && !same(installed[path], entry));
  const known = new Set(Object.keys(lock.packages));
  const extra = Object.keys(installed).filter((path) => !known.has(path));
  return missing.length + other.length + extra.length === 0;
}
