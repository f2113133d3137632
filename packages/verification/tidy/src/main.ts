import { type ImportGraph, importGraph } from "./graph.ts";
import { readRepository } from "./repository.ts";
import { isForTests, isOurs, type Source, workspaceOf } from "./source.ts";

/*
 * `npm run code-size [-- --list FOLDER] [-- --root DIR]` counts the hand-written source of packages and
 * services, tests and what only they use left out. `--list` names the files of a folder that have
 * one importer.
 */
const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
};

/**
 * Maximum size of a small file, in lines. A small file with one importer should be merged into it,
 * unless it is a boundary.
 */
const smallLines = 60;

const { sources } = readRepository(option("--root"));
const graph = importGraph(sources.filter(({ path }) => !isForTests(path)));
const ours = sources.filter(isOurs);
const singles = oneImporter(ours, graph);
const folder = option("--list");
process.stdout.write(folder === undefined ? summary() : listing(folder));

function summary(): string {
  const rowOf = (name: string, files: readonly Source[]) => {
    const own = files.filter(({ path }) => singles.has(path));
    const small = own.filter((each) => linesOf([each]) < smallLines);
    return row(name, files.length, linesOf(files), own.length, small.length);
  };
  return [
    row("", "files", "lines", "one importer", `below ${smallLines} lines`),
    ...[...Map.groupBy(ours, workspaceOf)].map(([name, files]) => rowOf(name, files)),
    rowOf("all", ours),
    "",
  ].join("\n");
}

/** Lists the files of a folder with one importer, smallest first. */
function listing(within: string): string {
  const merges = ours
    .filter(({ path }) => path.startsWith(within) && singles.has(path))
    .sort((a, b) => linesOf([a]) - linesOf([b]))
    .map((source) => `${linesOf([source])}\t${source.path}  <-  ${singles.get(source.path)}`);
  return [...merges, ""].join("\n");
}

/**
 * Maps each file with exactly one importer to that importer. Entry points of processes don't count.
 */
function oneImporter(ours: readonly Source[], imports: ImportGraph): Map<string, string> {
  const importers = new Map<string, string[]>();
  for (const [path, targets] of imports) {
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), path]);
  }
  return new Map(
    ours.flatMap(({ path }) => {
      const [only, ...others] = importers.get(path) ?? [];
      const isEntry = /\/src\/(?:main|index)\.ts$|-(?:worker|process|preload)\.ts$/.test(path);
      return only === undefined || others.length > 0 || isEntry ? [] : [[path, only] as const];
    }),
  );
}

function linesOf(files: readonly Source[]): number {
  return files.reduce((sum, { text }) => sum + text.trimEnd().split("\n").length, 0);
}

function row(name: string, ...figures: readonly (number | string)[]): string {
  return name.padEnd(36) + figures.map((each) => String(each).padStart(16)).join("");
}
