import { join } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { API, type Checker, type Type } from "typescript/unstable/sync";
import { home } from "../repository.ts";
import { type Finding, findingAt } from "../source.ts";

/** One file of the type-checked program. */
export type TypedFile = { readonly path: string; readonly text: string; readonly node: SourceFile };

/** The repository with its types. */
export type TypedProgram = ReturnType<typeof openProgram>;

/**
 * Opens the program of some folders with TypeScript's own checker and the root's settings, without
 * tests. `examples` are files by path and text, which need not exist.
 */
export function openProgram(
  folders: readonly string[],
  examples: Readonly<Record<string, string>> = {},
) {
  const config = join(home, "tsconfig.typed.json");
  const settings = {
    extends: "./tsconfig.json",
    include: folders,
    exclude: ["**/*.test.ts", "**/node_modules", "packages/console/src"],
    files: Object.keys(examples),
  };
  const texts = new Map([
    [config, JSON.stringify(settings)],
    ...Object.entries(examples).map(([path, text]) => [join(home, path), text] as const),
  ]);
  const overlay = {
    readFile: (path: string) => texts.get(path),
    fileExists: (path: string) => (texts.has(path) ? true : undefined),
  };
  const api = new API({ cwd: home, fs: overlay });
  const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
  if (project === undefined) throw new Error(`${config} is not a TypeScript project`);
  const { program, checker } = project;
  const pathOf = (name: string): string => name.slice(home.length + 1);
  const paths = program
    .getSourceFileNames()
    .map(pathOf)
    .filter((path) => !path.includes("node_modules/") && !path.includes("/gen/"));
  return {
    checker,
    /** The hand-written files whose paths pass a test. */
    files: function* (wanted: (path: string) => boolean): Generator<TypedFile> {
      for (const path of paths.filter(wanted)) {
        const node = program.getSourceFile(join(home, path));
        if (node !== undefined) yield { path, text: node.text, node };
      }
    },
    typesOf: (nodes: readonly Node[]) => typesOf(checker, nodes),
    pathOf,
    close: () => api.close(),
  };
}

/**
 * Returns the checker's result. Returns `undefined` if the checker throws, which this version does
 * for some tuples.
 */
export function shown<T>(show: () => T): T | undefined {
  try {
    return show();
  } catch {
    return undefined;
  }
}

/** The types of nodes; `undefined` if the checker has none, or fails. */
function typesOf(checker: Checker, nodes: readonly Node[]): (Type | undefined)[] {
  if (nodes.length === 0) return [];
  const types = shown(() => checker.getTypeAtLocation(nodes));
  if (types !== undefined) return types;
  if (nodes.length === 1) return [undefined];
  const half = nodes.length >> 1;
  return [...typesOf(checker, nodes.slice(0, half)), ...typesOf(checker, nodes.slice(half))];
}

/** Calls `visit` with a node and all nodes within it, the outer ones first. */
export function visitNodes(node: Node, visit: (node: Node) => void): void {
  visit(node);
  node.forEachChild((child) => {
    visitNodes(child, visit);
    return undefined;
  });
}

export function findingOf(
  { path, text, node: file }: TypedFile,
  node: Node,
  message: string,
): Finding {
  return findingAt({ path, text }, node.getStart(file), message);
}
