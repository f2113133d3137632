import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { didYouMean } from "@disburse/kernel/nearest.ts";
import { InputError } from "./input-error.ts";
import { enumChoices } from "./plain.ts";

const isIndex = (name: string) => /^\d+$/.test(name);

/** Returns the field at a dotted path; a number or `*` in the path selects a list item. */
export function fieldAt(schema: DescMessage, path: string): DescField {
  const names = path.split(".").filter((name) => name !== "*" && !isIndex(name));
  let message: DescMessage | undefined = schema;
  let field: DescField | undefined;
  for (const name of names) {
    field = message?.fields.find((each) => each.name === name);
    message = field?.message;
  }
  if (field === undefined) throw new Error(`${schema.typeName} has no field ${path}`);
  return field;
}

/** Returns the accepted values of an enum field, or `undefined` for any other field. */
export function choicesOf({ enum: enumeration }: DescField): readonly string[] | undefined {
  return enumeration === undefined
    ? undefined
    : enumChoices(enumeration).map(({ choice }) => choice);
}

/** Sets the value at a dotted path and creates missing objects and lists on the way. */
export function setAt(json: JsonObject, path: string, value: JsonValue): void {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) {
    json[name] = value;
    return;
  }
  const [next = ""] = rest;
  if (isIndex(next)) {
    const list = (json[name] ?? []) as JsonValue[];
    json[name] = list;
    const inside = rest.slice(1);
    if (inside.length === 0) {
      list[Number(next)] = value;
      return;
    }
    const item = (list[Number(next)] ?? {}) as JsonObject;
    list[Number(next)] = item;
    setAt(item, inside.join("."), value);
    return;
  }
  const inner = (json[name] ?? {}) as JsonObject;
  json[name] = inner;
  setAt(inner, rest.join("."), value);
}

const wholeTypes: ReadonlySet<ScalarType | undefined> = new Set([
  ...[ScalarType.INT32, ScalarType.UINT32, ScalarType.INT64, ScalarType.UINT64],
]);

/** Converts the text for a field to JSON; `label` names the field in error messages. */
export function jsonOfText(field: DescField, label: string, given: string): JsonValue {
  if (field.enum !== undefined) return enumValue(field.enum, label, given);
  if (field.message !== undefined) return timeValue(field.message, label, given);
  if (field.scalar === ScalarType.BOOL) return yesOrNo(label, given);
  if (wholeTypes.has(field.scalar)) return wholeNumber(label, given);
  return given;
}

function enumValue(enumeration: DescEnum, label: string, given: string): string {
  const known = enumChoices(enumeration);
  const choice = given.toLowerCase().replaceAll("-", "_");
  const found = known.find((each) => each.choice === choice);
  if (found !== undefined) return found.name;
  const choices = known.map((each) => each.choice);
  const hint = didYouMean(given, choices);
  throw new InputError(`"${given}" is not one of ${choices.join(", ")}${hint}`, { label });
}

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Accepts a time or a day; a day means midnight UTC. */
function timeValue({ typeName }: DescMessage, label: string, given: string): string {
  if (typeName !== "google.protobuf.Timestamp")
    throw new Error(`${label} has the type ${typeName}, which has no text form`);
  const isTime = dayPattern.test(given) || timePattern.test(given);
  const time = new Date(isTime ? given : Number.NaN);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new InputError(`"${given}" is not a time; write 2026-11-20 or 2026-11-20T11:26:00Z`, {
    label,
  });
}

function yesOrNo(label: string, given: string): boolean {
  if (/^(?:yes|true)$/i.test(given)) return true;
  if (/^(?:no|false)$/i.test(given)) return false;
  throw new InputError(`"${given}" is neither yes nor no`, { label });
}

const wholePattern = /^-?\d{1,19}$/;

/** Stays text, because protobuf JSON accepts text for every integer type. */
function wholeNumber(label: string, given: string): string {
  if (wholePattern.test(given)) return given;
  throw new InputError(`"${given}" is not a whole number`, { label });
}
