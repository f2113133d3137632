import {
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { RequestCommand } from "./command.ts";
import { fieldAt, jsonOfText, setAt } from "./fields.ts";
import { InputError } from "./input-error.ts";

/** Returns the values of arguments, `<name>`, and options, `--name`. */
export type Given = {
  readonly text: (label: string) => string | undefined;
  /** All values of an argument or option that may have several. */
  readonly many: (label: string) => readonly string[];
  /** True if an option without a value is set. */
  readonly has: (label: string) => boolean;
};

/** Builds the request, as protobuf JSON, from a command's arguments and options. */
export function requestOf(command: RequestCommand, given: Given): JsonObject {
  const { method, fixed = {}, arguments: positional = [], options = [] } = command;
  const json: JsonObject = structuredClone(fixed);
  const labelled = [
    ...positional.map((each) => ({ ...each, label: `<${each.name}>` })),
    ...options.map((each) => ({ ...each, label: `--${each.name}` })),
  ];
  for (const { field, label, ...each } of labelled) {
    const isFile = "isFile" in each && each.isFile === true;
    if (field === undefined || isFile) continue;
    if (field.includes(".*.")) {
      setEach(json, method, field, label, given);
      continue;
    }
    const value = jsonOf(method, field, label, given);
    if (value !== undefined) setAt(json, field, value);
  }
  return json;
}

/**
 * Fills a field of each list item. A single value fills all items; several values fill one item
 * each.
 */
function setEach(
  json: JsonObject,
  { input }: RequestCommand["method"],
  path: string,
  label: string,
  given: Given,
): void {
  const [list = ""] = path.split(".*.");
  const field = fieldAt(input, path);
  const items = json[list];
  const values = given.many(label);
  const count = Array.isArray(items) ? items.length : values.length;
  for (let index = 0; index < count; index += 1) {
    const text = values[index] ?? values[0];
    if (text !== undefined) {
      setAt(json, path.replace("*", String(index)), jsonOfText(field, label, text));
    }
  }
}

function jsonOf(
  { input }: RequestCommand["method"],
  path: string,
  label: string,
  given: Given,
): JsonValue | undefined {
  const field = fieldAt(input, path);
  if (given.has(label)) return true;
  const isItem = /\.\d+$/.test(path);
  if (field.fieldKind === "list" && !isItem) {
    const all = given.many(label);
    return all.length === 0 ? undefined : all.map((each) => jsonOfText(field, label, each));
  }
  const text = given.text(label);
  return text === undefined ? undefined : jsonOfText(field, label, text);
}

/** Converts JSON to a request message; throws an `InputError` if a value doesn't fit the contract. */
export function messageOf<Method extends DescMethodUnary>(
  { input }: Method,
  json: JsonObject,
): MessageShape<Method["input"]> {
  try {
    return fromJson(input, json) as MessageShape<Method["input"]>;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new InputError(problem, { cause: error });
  }
}
