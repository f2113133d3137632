import type { Program } from "oxc-parser";
import { type Finding, findingAt, type Source } from "./source.ts";

/** Words that outside readers don't understand, with the term to use instead. */
const replaced: ReadonlyMap<string, string> = new Map([
  ["deed", "action"],
  ["deeds", "actions"],
  ["door", "endpoint"],
  ["doors", "endpoints"],
  ["doubt", "exception or unknown outcome"],
  ["doubted", "unknown"],
  ["doubts", "exceptions"],
  ["fate", "outcome"],
  ["fates", "outcomes"],
  ["house", "platform"],
  ["look", "poll, check or read"],
  ["looked", "polled or checked"],
  ["looks", "polls or checks"],
  ["owed", "pending"],
  ["owes", "pending"],
  ["room", "capacity or reservation"],
  ["rooms", "packages"],
  ["stranger", "unauthenticated client"],
  ["strangers", "unauthenticated clients"],
  ["tally", "count"],
  ["told", "published, reported or shown"],
  ["untallied", "uncounted"],
  ["untold", "unpublished"],
]);

const anyReplaced = new RegExp([...replaced.keys()].join("|"), "i");

/** Names that may keep such a word, grouped by the reason. */
const exceptions: readonly (readonly [reason: string, names: RegExp])[] = [
  ["public HTTP names", /^(?:doubt_?percent|leavePayoutInDoubt)$/i],
  ["a part of a postal address", /^house_?number$/i],
  ["characters that look like others (Unicode TR39)", /look_?s?_?(?:alike|latin)/i],
  ["to look something up", /look_?up/i],
];

/** A declared name and its offset in the file. */
type Declared = { readonly name: string; readonly offset: number };

/** Returns the replaced words in the names that a source declares. */
export function replacedWords(source: Source): Finding[] {
  return anyReplaced.test(source.text) ? findings(source, declaredNames(source.program)) : [];
}

/** Returns the replaced words in the names of a proto file; comments and texts are not names. */
export function replacedProtoWords(path: string, text: string): Finding[] {
  const code = text.replace(/\/\/.*|"[^"\n]*"/g, (found) => " ".repeat(found.length));
  const names = [...code.matchAll(/[A-Za-z_]\w*/g)];
  return findings(
    { path, text },
    names.map(({ 0: name, index }) => ({ name, offset: index })),
  );
}

function findings(source: Pick<Source, "path" | "text">, names: readonly Declared[]): Finding[] {
  return names.flatMap(({ name, offset }) => {
    if (exceptions.some(([, pattern]) => pattern.test(name))) return [];
    return wordsIn(name).flatMap((word) => {
      const term = replaced.get(word);
      return term === undefined ? [] : [findingAt(source, offset, `${name}: write ${term}`)];
    });
  });
}

/** Splits a camelCase, snake_case or dotted name into lower-case words. */
function wordsIn(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);
}

type AstNode = { readonly type: string; readonly start: number } & Record<string, unknown>;

const isNode = (value: unknown): value is AstNode =>
  typeof value === "object" && value !== null && "type" in value;

/**
 * For each type of AST node, the keys under which it declares identifiers. Identifiers under other
 * keys are not declarations.
 */
const declaring: Readonly<Record<string, readonly string[]>> = {
  VariableDeclarator: ["id"],
  FunctionDeclaration: ["id", "params"],
  FunctionExpression: ["id", "params"],
  ArrowFunctionExpression: ["params"],
  TSFunctionType: ["params"],
  TSMethodSignature: ["key", "params"],
  ClassDeclaration: ["id"],
  PropertyDefinition: ["key"],
  MethodDefinition: ["key"],
  Property: ["key"],
  CatchClause: ["param"],
  ImportSpecifier: ["local"],
  TSTypeAliasDeclaration: ["id"],
  TSInterfaceDeclaration: ["id"],
  TSPropertySignature: ["key"],
  TSTypeParameter: ["name"],
};

/** Collects variables, functions, parameters, types, properties and members. */
function declaredNames(program: Program): Declared[] {
  const found: Declared[] = [];
  const search = (value: unknown, declares: boolean): void => {
    if (Array.isArray(value)) {
      for (const each of value) search(each, declares);
      return;
    }
    if (!isNode(value)) return;
    const { type, start: offset } = value;
    if (declares && (type === "Identifier" || type === "PrivateIdentifier")) {
      found.push({ name: String(value["name"]), offset });
    }
    // A name of a stored field, in a filter or an index: `{ "lease.until": 1 }`.
    if (declares && type === "Literal" && /^[$\w.]+$/.test(String(value["value"]))) {
      found.push({ name: String(value["value"]), offset });
    }
    if (type === "ObjectPattern" || type === "ArrayPattern") {
      for (const each of [value["properties"] ?? value["elements"]].flat()) {
        if (isNode(each)) search(each["type"] === "Property" ? each["value"] : each, declares);
      }
      return;
    }
    const names = isSameImport(value) ? [] : (declaring[type] ?? []);
    const isPattern = type === "AssignmentPattern" || type === "RestElement";
    for (const [key, child] of Object.entries(value)) {
      if (typeof child !== "object" || child === null) continue;
      const isTarget = isPattern && (key === "left" || key === "argument");
      search(child, names.includes(key) || (declares && isTarget));
    }
  };
  search(program, false);
  return found;
}

/** An import under the exported name declares no new name. */
function isSameImport({ type, imported, local }: AstNode): boolean {
  if (type !== "ImportSpecifier" || !isNode(imported) || !isNode(local)) return false;
  return imported["name"] === local["name"];
}
