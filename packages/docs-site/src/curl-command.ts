import type { ReferenceOperation } from "./reference.ts";
import type { JsonObject, SampleRequest } from "./request.ts";

/** What a guide's block of commands says: variables that it sets, and one request. */
export type CurlBlock = {
  /** As they stand, `NAME=value`. */
  readonly assignments: Readonly<Record<string, string>>;
  readonly request: Omit<SampleRequest, "variables">;
};

/**
 * Reads a block of a guide: lines that set variables, then one command of curl on `$API`; undefined
 * where it is anything else. Throws where it asks for what the reference does not have.
 */
export function readCurlBlock(
  text: string,
  operations: readonly ReferenceOperation[],
): CurlBlock | undefined {
  const [, before = "", command] = /^((?:[A-Z]+=\S*\n)*)(curl .*)$/s.exec(text.trim()) ?? [];
  if (command === undefined) return undefined;
  const assignments = Object.fromEntries(
    before.split("\n").flatMap((line) => {
      const [name = "", value = ""] = line.split(/=(.*)/s);
      return name === "" ? [] : [[name, value]];
    }),
  );
  return { assignments, request: requestOf(wordsOf(command), operations) };
}

function requestOf(
  words: readonly string[],
  operations: readonly ReferenceOperation[],
): CurlBlock["request"] {
  const after = (flag: string) =>
    words.flatMap((word, at) => (words[at - 1] === flag ? [word] : []));
  const [data] = after("-d");
  const address = words.find((word) => word.startsWith("$API/"));
  if (address === undefined) throw new Error(`a command of a guide has no address: ${words}`);
  const [path = "", asked = ""] = address.slice("$API".length).split("?");
  const [method = data === undefined ? "GET" : "POST"] = after("-X");
  const operation = operations.find(
    (each) => each.method === method && patternOf(each.path).test(path),
  );
  if (operation === undefined) throw new Error(`a guide asks for ${method} ${path}`);
  const [key] = after("-H").flatMap((each) => /^Idempotency-Key: (.*)$/i.exec(each)?.[1] ?? []);
  return {
    method,
    path,
    query: asked === "" ? [] : asked.split("&").map((each) => pairOf(each)),
    ...(data === undefined ? {} : { body: JSON.parse(data) as JsonObject }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(operation.sdk === undefined ? {} : { sdk: operation.sdk }),
  };
}

function pairOf(text: string): [string, string] {
  const [name = "", value = ""] = text.split("=");
  return [name, value];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

/** The words of a command as a shell reads them, with its variables left as `$NAME`. */
function wordsOf(command: string): string[] {
  const words = command.replaceAll("\\\n", " ").match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_, soft?: string, hard?: string) => soft ?? hard ?? "",
    ),
  );
}

/** Lines that set the key and the variables; the page knows where the platform is. */
export function assignmentLines(assignments: Readonly<Record<string, string>>): string[] {
  return Object.entries(assignments).flatMap(([name, value]) => {
    if (name === "API") return [];
    return [name === "KEY" ? `export DISBURSE_API_KEY=${value}` : `${name}=${value}`];
  });
}
