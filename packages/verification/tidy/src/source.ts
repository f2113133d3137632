import { type EcmaScriptModule, type Program, parseSync } from "oxc-parser";

/** One TypeScript or JavaScript file of the repository. */
export interface Source {
  /** Relative to the repository's root, with `/`. */
  path: string;
  text: string;
  program: Program;
  module: EcmaScriptModule;
}

/** A violation of a rule. */
export interface Finding {
  path: string;
  line: number;
  message: string;
}

/** Parses a file; `path` decides the language. */
export function parseSource(path: string, text: string): Source {
  const { program, module, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  return { path, text, program, module };
}

/** Reports a finding at an offset into the source's text. */
export function findingAt(
  source: Pick<Source, "path" | "text">,
  offset: number,
  message: string,
): Finding {
  return { path: source.path, line: source.text.slice(0, offset).split("\n").length, message };
}

/** True for tests and their helpers. */
export function isForTests(path: string): boolean {
  return /\.test\.ts$|^tests\/|^packages\/verification\/testkit\/|\/(?:test-[^/]+|testing)\.ts$/.test(
    path,
  );
}

/** True for source of a package or service, including the test kit; the measures count these. */
export function isOurs({ path }: Pick<Source, "path">): boolean {
  if (!/^(?:packages|services)\/.*\.ts$/.test(path)) return false;
  return path.startsWith("packages/verification/testkit/") || !isForTests(path);
}

/** The folder of a file's workspace. */
export function workspaceOf({ path }: Pick<Source, "path">): string {
  return /^(?:packages\/verification|packages|services)\/[^/]+/.exec(path)?.[0] ?? path;
}
