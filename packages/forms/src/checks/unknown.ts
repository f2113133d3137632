import type { ExactJson, JsonObject } from "@disburse/kernel/exact-json.ts";
import { isJsonObject } from "@disburse/kernel/exact-json.ts";
import { nearest } from "@disburse/kernel/nearest.ts";
import type { Violation } from "@disburse/kernel/refusal.ts";
import { unknownField } from "@disburse/kernel/violations.ts";
import type { Field, PublicBody } from "../fields/field.ts";
import { fieldsOf } from "./read.ts";

/** A name that may stand in a message or a header; any other is its place alone. */
const plainName = /^[\w-]{1,64}$/;
/** More names than a body has by a slip. */
const namedMax = 20;

/**
 * The fields of a body that none of its forms has, by their paths, with the name that was probably
 * meant; `undefined` for an operation whose body has no field. At most 20 of them.
 */
export function unknownFields(body: PublicBody | undefined, json: JsonObject): Violation[] {
  const unknown: Violation[] = [];
  collect(body === undefined ? [] : fieldsOf(body), json, "", unknown);
  return unknown.slice(0, namedMax);
}

function collect(
  fields: readonly Field[],
  json: JsonObject,
  path: string,
  unknown: Violation[],
): void {
  const byName = new Map(fields.map((field) => [field.name, field]));
  for (const [name, sent] of Object.entries(json)) {
    if (unknown.length >= namedMax) return;
    const field = byName.get(name);
    if (field !== undefined) collectWithin(field, sent, `${path}${name}`, unknown);
    else unknown.push(unknownIn(path, name, [...byName.keys()]));
  }
}

function unknownIn(path: string, name: string, known: readonly string[]): Violation {
  if (plainName.test(name)) return unknownField(`${path}${name}`, nearest(name, known));
  return unknownField(path === "" ? "body" : path.slice(0, -1), undefined);
}

function collectWithin(field: Field, sent: ExactJson, path: string, unknown: Violation[]): void {
  if (field.kind === "object" && isJsonObject(sent)) {
    collect(field.fields, sent, `${path}.`, unknown);
  }
  if (field.kind !== "list" || !Array.isArray(sent)) return;
  for (const [at, each] of sent.slice(0, field.maxItems).entries()) {
    if (isJsonObject(each)) collect(field.fields, each, `${path}[${at}].`, unknown);
  }
}
