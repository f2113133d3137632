import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSource, type Source } from "./source.ts";

/** The root of the repository that contains this file. */
export const home = join(import.meta.dirname, "..", "..", "..", "..");

/** Generated or external files. */
const skipped =
  /^(?:\.git|\.cache|\.data|\.turbo|coverage|node_modules|packages\/(?:(?:contracts|sdk)\/src\/gen|(?:console|sdk|name-matcher)\/dist))$/;

const sourceFile = /\.(?:tsx?|mjs)$/;

/** A repository: its pages and protos by path, and its parsed TypeScript and JavaScript. */
export interface Repository {
  pages: ReadonlyMap<string, string>;
  protos: ReadonlyMap<string, string>;
  sources: readonly Source[];
}

/** Reads the whole repository at `root` from the working tree, committed or not. */
export function readRepository(root = home): Repository {
  const paths = pathsIn(root, "");
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const textsOf = (ending: string) =>
    new Map(paths.filter((path) => path.endsWith(ending)).map((path) => [path, read(path)]));
  return {
    pages: textsOf(".md"),
    protos: textsOf(".proto"),
    sources: paths
      .filter((path) => sourceFile.test(path))
      .map((path) => parseSource(path, read(path))),
  };
}

function pathsIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (skipped.test(path) || entry.name === "node_modules") return [];
    if (entry.isDirectory()) return pathsIn(root, path);
    return entry.isFile() ? [path] : [];
  });
}
