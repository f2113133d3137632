import { importGraph } from "@disburse/tidy/graph.ts";
import { isForTests, type Source, workspaceOf } from "@disburse/tidy/source.ts";

/** The code that matters: where money, webhooks, screening and access are decided and stored. */
export const targets: readonly RegExp[] = [
  /^services\/(?:payout|quote)\/src\/(?!main|config|service|migrations|rpc\.ts)/,
  /^services\/notifier\/src\/.*(?:rules\/|store)/,
  /^services\/compliance\/src\/.*screening/,
  /^services\/gateway\/src\/.*(?:key|idempotency)/,
  /^packages\/bank-files\/src\/(?!measure\/|sftp\/)/,
  /^packages\/forms\/src\//,
  /^packages\/name-matcher\/src\/(?!measure\/)/,
  /^packages\/chassis\/src\/.*(?:lease|once|mutation|mongo\/)/,
];

/** The files of the code that matters. */
export function targetFiles(sources: readonly Source[]): Source[] {
  return sources.filter(({ path }) => {
    return !isForTests(path) && targets.some((target) => target.test(path));
  });
}

/** Of each file, by path: the files that import it. */
export type Importers = ReadonlyMap<string, readonly string[]>;

/** Who imports whom, tests included. */
export function importersOf(sources: readonly Source[]): Importers {
  const importers = new Map<string, string[]>();
  for (const [path, imported] of importGraph(sources)) {
    for (const each of imported) importers.set(each, [...(importers.get(each) ?? []), path]);
  }
  return importers;
}

/** Of a package, tests elsewhere count too, the nearest ones by imports. */
const elsewhereMax = 12;

/**
 * The unit and integration tests that reach a file by imports, nearest first: those of its own
 * workspace and, for a package, some of those that use it. Tests of the platform from outside take
 * too long.
 */
export function relatedTests(path: string, importers: Importers): string[] {
  const reached = new Set([path]);
  for (const each of reached)
    for (const importer of importers.get(each) ?? []) reached.add(importer);
  const tests = [...reached].filter((each) => /\/src\/.*(?<!\.e2e)\.test\.ts$/.test(each));
  const own = workspaceOf({ path });
  const [inside, outside] = [true, false].map((isOwn) =>
    tests.filter((test) => (workspaceOf({ path: test }) === own) === isOwn),
  );
  const isPackage = path.startsWith("packages/");
  return [...(inside ?? []), ...(isPackage ? (outside ?? []).slice(0, elsewhereMax) : [])];
}
