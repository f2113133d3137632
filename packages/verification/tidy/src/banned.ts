import { type ExportExportName, type Expression, type MemberExpression, Visitor } from "oxc-parser";
import { isRule, roomOf } from "./rooms.ts";
import { type Finding, findingAt, isForTests, type Source } from "./source.ts";

/** Rooms whose work it is to know the process environment. */
const readsEnvironment =
  /^(?:scripts|tests|packages\/(?:embedded|standalone|verification\/(?:bench|drills|faults|rails|testkit)))\//;

/** `process.env` anywhere but in a service's config.ts and the rooms that start processes. */
export function environmentReads(source: Source): Finding[] {
  const { path } = source;
  if (readsEnvironment.test(path) || isForTests(path)) return [];
  const { inside } = roomOf(path);
  // The chassis hands the environment to each service's config.ts when it runs as a process.
  if (inside === "config.ts" || path === "packages/chassis/src/service.ts") return [];
  return accesses(source, (name) => name === "process.env", "is read in config.ts only");
}

/** Default exports, except where a tool's configuration has to be one. */
export function defaultExports(source: Source): Finding[] {
  if (/\.config\.ts$/.test(source.path)) return [];
  return source.module.staticExports
    .filter(({ entries }) => entries.some(({ exportName }) => isDefault(exportName)))
    .map(({ start }) => findingAt(source, start, "a default export; give it a name"));
}

function isDefault({ kind, name }: ExportExportName): boolean {
  return kind === "Default" || name === "default";
}

/** What is imported by name (`randomUUID`) is found among the imports. */
const clocksAndDice =
  /^(?:Date\.now|Math\.random|performance\.now|crypto\.(?:random.*|getRandomValues))$/;

/** The clock and chance inside a rule: both are arguments there. */
export function clocksInRules(source: Source): Finding[] {
  if (!isRule(source.path) || isForTests(source.path)) return [];
  const findings = accesses(source, (name) => clocksAndDice.test(name), "is an argument of a rule");
  new Visitor({
    NewExpression(node) {
      if (nameOf(node.callee) !== "Date" || node.arguments.length > 0) return;
      findings.push(findingAt(source, node.start, "new Date() is an argument of a rule"));
    },
  }).visit(source.program);
  return findings;
}

/** Binary floating point where money could be: nothing here needs it, so it is nowhere. */
export function floats(source: Source): Finding[] {
  const isFloat = (name: string): boolean => /(?:^|\.)(?:parseFloat|toFixed)$/.test(name);
  return accesses(source, isFloat, "is for binary floats, and money is none");
}

/** Mocks of modules: test files share those, so a mock comes too late or reaches another file. */
export function moduleMocks(source: Source): Finding[] {
  const isMock = (name: string): boolean => /^vi\.(?:mock|doMock|hoisted)$/.test(name);
  return accesses(source, isMock, "reaches other test files; hand the part in");
}

/** Each use of a name, dotted or not, that the test takes. */
function accesses(source: Source, test: (name: string) => boolean, why: string): Finding[] {
  const findings: Finding[] = [];
  const inspect = (node: Expression): void => {
    const name = nameOf(node);
    if (name !== undefined && test(name)) {
      findings.push(findingAt(source, node.start, `${name} ${why}`));
    }
  };
  new Visitor({
    MemberExpression: inspect,
    CallExpression(node) {
      if (node.callee.type === "Identifier") inspect(node.callee);
    },
  }).visit(source.program);
  return findings;
}

/** `a.b` of a member access, `?.b` of one on anything else, the name of a plain identifier. */
function nameOf(node: Expression): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression") return undefined;
  const property = propertyOf(node);
  if (property === undefined) return undefined;
  return node.object.type === "Identifier" ? `${node.object.name}.${property}` : `?.${property}`;
}

function propertyOf({ computed, property }: MemberExpression): string | undefined {
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  return property.type === "Literal" ? String(property.value) : undefined;
}

/** Put together here, so that this file is not its own first finding. */
const markers = new RegExp(`\\b(?:${["TO" + "DO", "FIX" + "ME", "HA" + "CK"].join("|")})\\b`);

/** Names that say nothing about what is inside. */
const empty = /^(?:utils?|helpers?|common|managers?|misc|shared)$/;

/** Notes of what is still to do: what is worth doing is in the issue list, not in the code. */
export function markersLeft({ path, text }: { path: string; text: string }): Finding[] {
  return text.split("\n").flatMap((line, index) => {
    const found = markers.exec(line);
    return found === null ? [] : [{ path, line: index + 1, message: `a ${found[0]} is left` }];
  });
}

/** Words for which the field has terms (docs/STYLE.md, docs/GLOSSARY.md). */
const dialect = /\b(?:told|nobody|whoever|for good|where nothing presses)\b/i;

/** Comments in a private dialect; what stands in backticks is code. */
export function dialectInComments({ path, text }: Pick<Source, "path" | "text">): Finding[] {
  return text.split("\n").flatMap((line, index) => {
    const comment = /(?:\/\/|^\s*\/?\*).*$/.exec(line)?.[0].replace(/`[^`]*`/g, "") ?? "";
    const found = dialect.exec(comment);
    if (found === null) return [];
    return [{ path, line: index + 1, message: `"${found[0]}": the field has a term for it` }];
  });
}

/** File and folder names: kebab-case, and telling what is inside. */
export function badNames(path: string): Finding[] {
  const parts = path.split("/").filter((part) => !part.startsWith("."));
  const wrong = parts.find((part) => !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(part));
  if (wrong !== undefined) return [{ path, line: 1, message: `${wrong} is not kebab-case` }];
  const words = parts.flatMap((part) => part.split(/[-.]/));
  const vague = words.find((word) => empty.test(word));
  return vague === undefined ? [] : [{ path, line: 1, message: `"${vague}" says nothing` }];
}
