import { posix } from "node:path";
import { circlesOf, importGraph } from "./graph.ts";
import { type Finding, findingAt, isOurs, type Source, workspaceOf } from "./source.ts";

/** A folder is read in one look. */
const folderFilesMax = 20;
/** The share of a workspace's exports that have a docstring. */
const documentedMin = 0.95;

/** Files that import each other, for values or types, through any number of others. */
export function importCircles(sources: readonly Source[]): Finding[] {
  return circlesOf(importGraph(sources)).map((circle) => {
    return { path: circle[0] ?? "", line: 1, message: `is in a circle: ${circle.join(", ")}` };
  });
}

/** Paths of sources that a test of the platform names as text and that are not there. */
export function missingFiles(sources: readonly Source[]): Finding[] {
  const paths = new Set(sources.map(({ path }) => path));
  return sources
    .filter(({ path }) => path.startsWith("tests/"))
    .flatMap((source) =>
      [...source.text.matchAll(/"((?:packages|services)\/[^"]*\.ts)"/g)]
        .filter(([, named = ""]) => !paths.has(named))
        .map(({ index, 1: named }) => findingAt(source, index, `there is no ${named}`)),
    );
}

/** Links of pages to other pages that are not there. */
export function brokenLinks(files: readonly { path: string; text: string }[]): Finding[] {
  const paths = new Set(files.map(({ path }) => path));
  return files
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([\w./-]+\.md)(?:#[^)]*)?\)/g)]
        .filter(([, to = ""]) => !paths.has(posix.join(posix.dirname(path), to)))
        .map(({ index, 1: to }) => {
          const line = text.slice(0, index).split("\n").length;
          return { path, line, message: `there is no ${to}` };
        }),
    );
}

/** Folders of too many files; tests and generated files are not counted. */
export function fullFolders(sources: readonly Source[]): Finding[] {
  const counts = Map.groupBy(sources.filter(isOurs), ({ path }) => posix.dirname(path));
  return [...counts]
    .filter(([, files]) => files.length > folderFilesMax)
    .map(([path, { length }]) => {
      return { path, line: 1, message: `${length} source files; ${folderFilesMax} at most` };
    });
}

/** An exported declaration, and whether a docstring stands before it. */
export interface Exported extends Finding {
  isDocumented: boolean;
}

/** The declarations that a file exports; overloads count once. */
export function exportsOf({ path, text, program }: Source): Exported[] {
  const found = new Map<string, Exported>();
  for (const node of program.body) {
    if (node.type !== "ExportNamedDeclaration" || node.declaration == null) continue;
    const { declaration } = node;
    const [first] = "declarations" in declaration ? declaration.declarations : [declaration];
    const name =
      first !== undefined && "id" in first && first.id?.type === "Identifier" ? first.id.name : "";
    const before = text.slice(0, node.start).trimEnd();
    const isDocumented =
      before.endsWith("*/") && before.startsWith("/**", before.lastIndexOf("/*"));
    const line = text.slice(0, node.start).split("\n").length;
    const message = `${name} is exported without a docstring`;
    if (!found.has(name) || isDocumented) found.set(name, { path, line, message, isDocumented });
  }
  return [...found.values()];
}

/** Workspaces that export too much without saying what it is. */
export function undocumentedExports(sources: readonly Source[]): Finding[] {
  return [...Map.groupBy(sources.filter(isOurs), workspaceOf)].flatMap(([path, files]) => {
    const exported = files.flatMap(exportsOf);
    const missing = exported.filter(({ isDocumented }) => !isDocumented);
    if (missing.length <= exported.length * (1 - documentedMin)) return [];
    const message = `${missing.length} of ${exported.length} exports lack a docstring; \`npm run house -- --list ${path}\` names them`;
    return [{ path, line: 1, message }];
  });
}
