import { posix } from "node:path";
import { importsOf } from "./imports.ts";
import type { Source } from "./source.ts";

/** For each file path: the files of the repository that it imports, for values or types. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** Finds the imports among `sources`; leaves out external packages and generated files. */
export function importGraph(sources: readonly Source[]): ImportGraph {
  const paths = new Set(sources.map(({ path }) => path));
  const folders = new Map<string, string>();
  for (const path of paths) {
    const [, folder, name] =
      /^((?:packages|services)(?:\/verification)?\/([^/]+))\/src\//.exec(path) ?? [];
    if (folder !== undefined && name !== undefined) folders.set(name, folder);
  }
  const targetOf = (path: string, specifier: string): string | undefined => {
    if (specifier.startsWith(".")) return posix.join(posix.dirname(path), specifier);
    const [, workspace = "", file] = /^@disburse\/([^/]+)(?:\/(.*))?$/.exec(specifier) ?? [];
    const folder = folders.get(workspace);
    return folder === undefined ? undefined : `${folder}/src/${file ?? "index.ts"}`;
  };
  return new Map(
    sources.map((source) => {
      const targets = importsOf(source)
        .map(({ specifier }) => targetOf(source.path, specifier))
        .filter((target) => target !== undefined && paths.has(target) && target !== source.path);
      return [source.path, new Set(targets as string[])];
    }),
  );
}
