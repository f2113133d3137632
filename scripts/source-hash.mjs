// Hashes the inputs of a build, to repeat it only if they have changed.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Hashes files and the files of folders; the paths are relative to the root. */
export function sourceHash(root, inputs) {
  const hash = createHash("sha256");
  for (const path of inputs.flatMap((each) => filesOf(join(root, each)))) {
    hash.update(path.slice(root.length)).update(readFileSync(path));
  }
  return hash.digest("hex");
}

/** Returns true if a build's stamp has this hash. */
export function isBuilt(stamp, hash) {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === hash;
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
