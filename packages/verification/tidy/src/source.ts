import { type EcmaScriptModule, type Program, parseSync } from "oxc-parser";

/** One TypeScript or JavaScript file of the repository. */
export interface Source {
  /** From the repository's root, with `/` between. */
  path: string;
  text: string;
  program: Program;
  module: EcmaScriptModule;
}

/** A place that breaks a rule. */
export interface Finding {
  path: string;
  line: number;
  message: string;
}

/** Parses a file; `path` decides which language it is in. */
export function parseSource(path: string, text: string): Source {
  const { program, module, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  return { path, text, program, module };
}

/** The finding for a place in a source, given as an offset into its text. */
export function findingAt(
  source: Pick<Source, "path" | "text">,
  offset: number,
  message: string,
): Finding {
  return { path: source.path, line: source.text.slice(0, offset).split("\n").length, message };
}

/** Whether a file holds tests, or what only tests use. */
export function isForTests(path: string): boolean {
  return /\.test\.ts$|^tests\/|^packages\/verification\/testkit\/|\/(?:test-[^/]+|testing)\.ts$/.test(
    path,
  );
}

/** Whether a file is source of a package or service, which the measures count: the test kit is. */
export function isOurs({ path }: Pick<Source, "path">): boolean {
  if (!/^(?:packages|services)\/.*\.ts$/.test(path)) return false;
  return path.startsWith("packages/verification/testkit/") || !isForTests(path);
}

/** The folder of the workspace that a file is in. */
export function workspaceOf({ path }: Pick<Source, "path">): string {
  return /^(?:packages\/verification|packages|services)\/[^/]+/.exec(path)?.[0] ?? path;
}
