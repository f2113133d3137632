import {
  type DescMethodUnary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageShape,
} from "@bufbuild/protobuf";
import { usageError } from "../output/failure.ts";
import type { CallCommand } from "./command.ts";
import { fieldAt, jsonOfText, setAt } from "./fields.ts";
import type { Invocation } from "./invocation.ts";

/** Builds the request, as protobuf JSON, from a command's arguments and options. */
export function requestOf(command: CallCommand, invocation: Invocation): JsonObject {
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
      setEach(json, method, field, label, invocation);
      continue;
    }
    const value = jsonOf(method, field, label, invocation);
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
  { input }: DescMethodUnary,
  path: string,
  label: string,
  invocation: Invocation,
): void {
  const [list = ""] = path.split(".*.");
  const field = fieldAt(input, path);
  const items = json[list];
  const values = invocation.many(label);
  const count = Array.isArray(items) ? items.length : values.length;
  for (let index = 0; index < count; index += 1) {
    const given = values[index] ?? values[0];
    if (given !== undefined) {
      setAt(json, path.replace("*", String(index)), jsonOfText(field, label, given));
    }
  }
}

function jsonOf(
  { input }: DescMethodUnary,
  path: string,
  label: string,
  invocation: Invocation,
): JsonValue | undefined {
  const field = fieldAt(input, path);
  if (invocation.has(label)) return true;
  const isItem = /\.\d+$/.test(path);
  if (field.fieldKind === "list" && !isItem) {
    const all = invocation.many(label);
    return all.length === 0 ? undefined : all.map((each) => jsonOfText(field, label, each));
  }
  const text = invocation.text(label);
  return text === undefined ? undefined : jsonOfText(field, label, text);
}

/** Converts JSON to a request message; throws a usage error if a value doesn't fit the contract. */
export function messageOf<Method extends DescMethodUnary>(
  { input }: Method,
  json: JsonObject,
): MessageShape<Method["input"]> {
  try {
    return fromJson(input, json) as MessageShape<Method["input"]>;
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}
