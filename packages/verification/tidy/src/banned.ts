import { type ExportExportName, type Expression, type MemberExpression, Visitor } from "oxc-parser";
import { isRule, roomOf } from "./rooms.ts";
import { type Finding, findingAt, isForTests, type Source } from "./source.ts";

/** Rooms whose work it is to know the process environment. */
const readsEnvironment =
  /^(?:scripts|tests|packages\/(?:embedded|standalone|verification\/(?:bench|faults|mutants|testkit)))\//;

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
