import { posix } from "node:path";
import { importsOf } from "./imports.ts";
import type { Source } from "./source.ts";

/** Of each file, by path: the files of the repository that it imports, for values or types. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** The imports among `sources`; a package of others and a generated file are no part of it. */
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

/** The sets of files that each reach all others of the set: strongly connected, by Tarjan. */
export function circlesOf(graph: ImportGraph): string[][] {
  const circles: string[][] = [];
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): void => {
    const index = indexes.size;
    indexes.set(node, index);
    lowest.set(node, index);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!indexes.has(next)) visit(next);
      if (stack.includes(next)) {
        lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
      }
    }
    if (lowest.get(node) !== index) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const node of graph.keys()) if (!indexes.has(node)) visit(node);
  return circles;
}
