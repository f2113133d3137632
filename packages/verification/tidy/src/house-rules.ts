import {
  badNames,
  clocksInRules,
  defaultExports,
  dialectInComments,
  environmentReads,
  floats,
  markersLeft,
  moduleMocks,
} from "./banned.ts";
import { exceptions } from "./exceptions.ts";
import { forbiddenImports } from "./imports.ts";
import {
  brokenLinks,
  fullFolders,
  importCircles,
  missingFiles,
  undocumentedExports,
} from "./layout.ts";
import { longFiles, longFunctions, wideComments } from "./sizes.ts";
import type { Finding, Source } from "./source.ts";

/** Everything that the rules look at. */
export interface Repository {
  /** Every file's path and text. */
  files: readonly { path: string; text: string }[];
  /** The TypeScript and JavaScript among them, parsed. */
  sources: readonly Source[];
}

/** The house rules by name. Generated files are not among what they see. */
export const houseRules: Readonly<Record<string, (repository: Repository) => Finding[]>> = {
  "broken links": ({ files }) => brokenLinks(files),
  "clocks in rules": ({ sources }) => sources.flatMap(clocksInRules),
  "default exports": ({ sources }) => sources.flatMap(defaultExports),
  "dialect in comments": ({ sources }) => sources.flatMap(dialectInComments),
  "documented exports": ({ sources }) => undocumentedExports(sources),
  "environment reads": ({ sources }) => sources.flatMap(environmentReads),
  "file names": ({ sources }) => sources.flatMap(({ path }) => badNames(path)),
  floats: ({ sources }) => sources.flatMap(floats),
  "full folders": ({ sources }) => fullFolders(sources),
  "import circles": ({ sources }) => importCircles(sources),
  imports: ({ sources }) => sources.flatMap(forbiddenImports),
  "long files": ({ sources }) => sources.flatMap(longFiles),
  "long functions": ({ sources }) => sources.flatMap(longFunctions),
  "markers left": ({ files }) => files.flatMap(markersLeft),
  "missing files": ({ sources }) => missingFiles(sources),
  "module mocks": ({ sources }) => sources.flatMap(moduleMocks),
  "wide comments": ({ sources }) => sources.flatMap(wideComments),
};

/** What breaks a rule without being an exception to it, as `path:line message`. */
export function broken(rule: string, findings: readonly Finding[]): string[] {
  const excepted = exceptionsTo(rule);
  return findings
    .filter(({ path }) => !excepted.includes(path))
    .map(({ path, line, message }) => `${path}:${line} ${message}`);
}

/** The files excepted from a rule that do not break it, and so need no exception. */
export function needless(rule: string, findings: readonly Finding[]): string[] {
  return exceptionsTo(rule).filter((path) => !findings.some((finding) => finding.path === path));
}

function exceptionsTo(rule: string): string[] {
  return exceptions.filter((exception) => exception.rule === rule).map(({ path }) => path);
}
