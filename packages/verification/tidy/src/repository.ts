import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "./house-rules.ts";
import { parseSource } from "./source.ts";

/** The root of the repository that this file is in. */
export const home = join(import.meta.dirname, "..", "..", "..", "..");

/** Not written by hand, or not ours. */
const skipped =
  /^(?:\.git|\.cache|\.data|\.turbo|coverage|node_modules|packages\/(?:(?:contracts|sdk)\/src\/gen|(?:console|sdk|name-matcher)\/dist))$/;

const sourceFile = /\.(?:tsx?|mjs)$/;
const writtenFile = /\.(?:tsx?|mjs|proto|sh|md|ya?ml|json|jsonc)$|\/Dockerfile$|^\.ci\/run$/;

/** Reads the whole repository at `root` as it stands, committed or not. */
export function readRepository(root = home): Repository {
  const files = pathsIn(root, "")
    .filter((path) => writtenFile.test(path) && !path.endsWith("package-lock.json"))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const sources = files
    .filter(({ path }) => sourceFile.test(path))
    .map(({ path, text }) => parseSource(path, text));
  return { files, sources };
}

function pathsIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (skipped.test(path) || entry.name === "node_modules") return [];
    if (entry.isDirectory()) return pathsIn(root, path);
    return entry.isFile() ? [path] : [];
  });
}
