import { circlesOf, type ImportGraph, importGraph } from "./graph.ts";
import { exportsOf, fullFolders } from "./layout.ts";
import { readRepository } from "./repository.ts";
import { longFiles, longFunctions } from "./sizes.ts";
import { isForTests, isOurs, type Source, workspaceOf } from "./source.ts";

/*
 * `npm run house [-- --list FOLDER] [-- --root DIR]` measures the hand-written source of packages
 * and services, tests and what only they use left out. `--list` names what is to do in a folder.
 */
const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
};

const { sources } = readRepository(option("--root"));
const graph = importGraph(sources.filter(({ path }) => !isForTests(path)));
const singles = oneImporter(sources.filter(isOurs), graph);
const folder = option("--list");
process.stdout.write(folder === undefined ? summary() : listing(folder));

function summary(): string {
  const ours = sources.filter(isOurs);
  const exported = ours.flatMap(exportsOf);
  const documented = exported.filter(({ isDocumented }) => isDocumented).length;
  const full = fullFolders(sources).map(({ path, message }) => `  ${path}: ${message}`);
  const circles = circlesOf(graph).map((circle) => `  ${circle.join(" ")}`);
  const rowOf = (name: string, files: readonly Source[]) => {
    const own = files.filter(({ path }) => singles.has(path)).length;
    return row(name, files.length, linesOf(files), `${own} (${percent(own, files.length)})`);
  };
  return [
    row("", "files", "lines", "one importer"),
    ...[...Map.groupBy(ours, workspaceOf)].map(([name, files]) => rowOf(name, files)),
    rowOf("all", ours),
    `folders over 20 files: ${full.length}`,
    ...full,
    `import circles: ${circles.length}`,
    ...circles,
    `functions over 70 lines: ${ours.flatMap(longFunctions).length}`,
    `files over 500 lines: ${ours.flatMap(longFiles).length}`,
    `documented exports: ${documented} of ${exported.length} (${percent(documented, exported.length)})`,
    "",
  ].join("\n");
}

/** The files of a folder with one importer, smallest first, and its undocumented exports. */
function listing(within: string): string {
  const ours = sources.filter((source) => isOurs(source) && source.path.startsWith(within));
  const merges = ours
    .filter(({ path }) => singles.has(path))
    .sort((a, b) => linesOf([a]) - linesOf([b]))
    .map((source) => `${linesOf([source])}\t${source.path}  <-  ${singles.get(source.path)}`);
  const missing = ours
    .flatMap(exportsOf)
    .filter(({ isDocumented }) => !isDocumented)
    .map(({ path, line, message }) => `${path}:${line} ${message}`);
  return [...merges, ...missing, ""].join("\n");
}

/** The files that one file alone imports, each with it; where a process starts does not count. */
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

function row(name: string, files: number | string, lines: number | string, one: string): string {
  return `${name.padEnd(36)}${String(files).padStart(6)}${String(lines).padStart(8)}  ${one}`;
}

function percent(part: number, all: number): string {
  return `${Math.round((part / all) * 1000) / 10} %`;
}
