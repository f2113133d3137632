import { parseDecimal } from "@disburse/kernel/decimal.ts";
import {
  type ExactJson,
  ExactNumber,
  isJsonObject,
  type JsonObject,
} from "@disburse/kernel/exact-json.ts";
import { nearest } from "@disburse/kernel/nearest.ts";
import type { Violation } from "@disburse/kernel/refusal.ts";
import { shownName, unknownField } from "@disburse/kernel/violations.ts";
import type {
  BodyValue,
  BodyValues,
  Field,
  IntegerField,
  PairsField,
  PublicBody,
  TextField,
} from "../fields/field.ts";

/**
 * The maximum number of unknown fields to report, which exceeds the typing errors in a real body.
 */
const namedMax = 20;

/** The reported path if the body is not a JSON object. */
export const wholeBody = "body";

/**
 * A body as the gateway read it, with values for the contract's message and a list of unreadable
 * fields.
 */
export type ReadBody = { readonly values: BodyValues; readonly unreadable: Violation[] };

/**
 * Reads the declared fields of all forms of a body and ignores other fields. Strings stay
 * unchanged. Fields for digits or amounts also accept a JSON number and keep its exact text. `null`
 * counts as not sent: a required field is then missing, and an optional one is valid. Values of the
 * wrong kind are returned as unreadable. The owning service reports them in the form's order.
 */
export function readBody(body: PublicBody, json: ExactJson): ReadBody {
  const unreadable: Violation[] = [];
  if (!isJsonObject(json)) {
    return { values: {}, unreadable: [{ field: wholeBody, problem: "must be a JSON object" }] };
  }
  return { values: readFields(fieldsOf(body), json, "", unreadable), unreadable };
}

/** Returns the fields of all forms in order, each name once. */
export function fieldsOf(body: PublicBody): readonly Field[] {
  const byName = new Map<string, Field>();
  for (const form of body.forms) {
    for (const field of form.fields) if (!byName.has(field.name)) byName.set(field.name, field);
  }
  return [...byName.values()];
}

function readFields(
  fields: readonly Field[],
  json: JsonObject,
  path: string,
  unreadable: Violation[],
): BodyValues {
  const values: BodyValues = {};
  for (const field of fields) {
    // Reads only own keys, because an inherited `constructor` was not sent.
    const sent = Object.hasOwn(json, field.name) ? json[field.name] : undefined;
    if (sent === undefined || sent === null) continue;
    const value = readField(field, sent, `${path}${field.name}`, unreadable);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

function readField(
  field: Field,
  sent: ExactJson,
  path: string,
  unreadable: Violation[],
): BodyValue | undefined {
  const refuse = (problem: string): undefined => {
    unreadable.push({ field: path, problem });
  };
  switch (field.kind) {
    case "object":
      if (!isJsonObject(sent)) return refuse("must be an object");
      return readFields(field.fields, sent, `${path}.`, unreadable);
    case "list":
      if (!Array.isArray(sent)) return refuse("must be an array");
      if (sent.length > field.maxItems) {
        return refuse(`must have at most ${field.maxItems} entries`);
      }
      return sent.map((each, at) => readItem(field.fields, each, `${path}[${at}]`, unreadable));
    case "pairs":
      return readPairs(field, sent) ?? refuse(field.problem);
    case "flag":
      return typeof sent === "boolean" ? sent : refuse("must be true or false");
    case "texts":
      return isTexts(sent, field.maxItems) ? sent : refuse(field.pattern.problem);
    case "integer":
      return readInteger(field, sent) ?? refuse(integerProblem(field));
    default:
      return readText(field, sent, refuse);
  }
}

function readText(
  { kind, mayBeEmpty }: TextField,
  sent: ExactJson,
  refuse: (problem: string) => undefined,
): string | undefined {
  const number = kind === "amount" || kind === "digits";
  const text = number && sent instanceof ExactNumber ? numberText(kind, sent) : sent;
  if (typeof text !== "string") return refuse(`must be a string${number ? " or a number" : ""}`);
  // A protobuf string cannot carry ill-formed text.
  if (!text.isWellFormed()) return refuse("must be well-formed Unicode");
  // An empty amount is refused unless the contract's message can distinguish it from an absent one.
  // Only JSON numbers have exponents.
  const isEmpty = text === "" && !mayBeEmpty;
  const isWrong = kind === "amount" && (isEmpty || (text === sent && /e/i.test(text)));
  return isWrong ? refuse("must be a decimal number") : text;
}

/** Returns a number's exact text. For digits, writes a whole number such as `60.0` as `60`. */
function numberText(kind: TextField["kind"], { text }: ExactNumber): string {
  return kind === "digits" ? (wholeText(text) ?? text) : text;
}

/** Returns the digits of a whole number. JSON Schema counts `60.0` and `6e1` as whole numbers. */
function wholeText(text: string): string | undefined {
  const decimal = parseDecimal(text);
  return decimal?.scale === 0 ? String(decimal.units) : undefined;
}

/**
 * Reads an entry of a list. An entry that is not an object becomes an empty object, so that the
 * paths of later entries stay correct.
 */
function readItem(
  fields: readonly Field[],
  sent: ExactJson,
  path: string,
  unreadable: Violation[],
): BodyValues {
  if (isJsonObject(sent)) return readFields(fields, sent, `${path}.`, unreadable);
  unreadable.push({ field: path, problem: "must be an object" });
  return {};
}

/**
 * Returns true for a non-empty list of valid texts. A protobuf string can't carry ill-formed text.
 * An empty list would look as if it was not sent.
 */
function isTexts(sent: ExactJson, maxItems: number): sent is string[] {
  if (!Array.isArray(sent) || sent.length === 0 || sent.length > maxItems) return false;
  return sent.every((each) => typeof each === "string" && each.isWellFormed());
}

/**
 * Reads pairs. Accepts only those that fit the contract's map. Other pairs would be lost or replace
 * another pair.
 */
function readPairs({ keys, maxItems }: PairsField, sent: ExactJson): BodyValues | undefined {
  if (!isJsonObject(sent)) return undefined;
  const entries = Object.entries(sent);
  const shape = new RegExp(`^${keys}$`, "u");
  const isSound = entries.every(
    ([key, value]) => shape.test(key) && typeof value === "string" && value.isWellFormed(),
  );
  return isSound && entries.length <= maxItems ? (sent as Record<string, string>) : undefined;
}

function readInteger(field: IntegerField, sent: ExactJson): number | undefined {
  if (!(sent instanceof ExactNumber)) return undefined;
  const value = Number(wholeText(sent.text));
  return value >= field.min && value <= field.max ? value : undefined;
}

export function integerProblem(field: IntegerField): string {
  return `must be a whole number from ${field.min} to ${field.max}`;
}

/**
 * Returns at most 20 fields that no form of the body has, each with the name that was probably
 * intended. If `body` is `undefined`, no fields are declared.
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
    else {
      const meant = nearest(name, [...byName.keys()]);
      unknown.push(unknownField(`${path}${shownName(name)}`, meant));
    }
  }
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
