import type { ReferenceOperation } from "./reference.ts";
import type { JsonObject, SampleRequest } from "./request.ts";

/** The variables and the request of a guide's code block. */
export type CurlBlock = {
  /** Values as written in `NAME=value`. */
  readonly assignments: Readonly<Record<string, string>>;
  readonly request: Omit<SampleRequest, "variables">;
};

/**
 * Parses a code block with variable assignments and one curl command on `$API`; returns `undefined`
 * for other blocks. Throws if the reference has no such operation.
 */
export function readCurlBlock(
  text: string,
  operations: readonly ReferenceOperation[],
): CurlBlock | undefined {
  const [, assignmentText = "", command] =
    /^((?:[A-Z]+=\S*\n)*)(curl .*)$/s.exec(text.trim()) ?? [];
  if (command === undefined) return undefined;
  const assignments = Object.fromEntries(
    assignmentText.split("\n").flatMap((line) => {
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
  if (address === undefined)
    throw new Error(`a guide's curl command has no URL that begins with $API/: ${words}`);
  const [path = "", query = ""] = address.slice("$API".length).split("?");
  const [method = data === undefined ? "GET" : "POST"] = after("-X");
  const operation = operations.find(
    (each) => each.method === method && patternOf(each.path).test(path),
  );
  if (operation === undefined)
    throw new Error(`a guide calls a route that does not exist: ${method} ${path}`);
  const [key] = after("-H").flatMap((each) => /^Idempotency-Key: (.*)$/i.exec(each)?.[1] ?? []);
  return {
    method,
    path,
    query: query === "" ? [] : query.split("&").map((each) => pairOf(each)),
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

/** Splits a command into words as a shell does, and keeps variables as `$NAME`. */
function wordsOf(command: string): string[] {
  const words = command.replaceAll("\\\n", " ").match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_, soft?: string, hard?: string) => soft ?? hard ?? "",
    ),
  );
}

/** Formats the assignments, without `API`: the page inserts the platform's address. */
export function assignmentLines(assignments: Readonly<Record<string, string>>): string[] {
  return Object.entries(assignments).flatMap(([name, value]) => {
    if (name === "API") return [];
    return [name === "KEY" ? `export DISBURSE_API_KEY=${value}` : `${name}=${value}`];
  });
}
