import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";

/**
 * A message as `--json` prints it: the contract's names of fields, enums by their words in lower
 * case (`true_match`; "" where unspecified), times in ISO 8601, amounts and 64-bit counts as text.
 * A field has a value even where it has the default one; a message that is not set is left out.
 */
export function plainOf<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): JsonObject {
  const options = { alwaysEmitImplicit: true, useProtoFieldName: true };
  return withWords(schema, toJson(schema, message, options) as JsonObject);
}

function withWords({ fields }: DescMessage, json: JsonObject): JsonObject {
  const entries = fields.flatMap((field) => {
    const value = json[field.name];
    return value === undefined ? [] : [[field.name, wordsIn(field, value)] as const];
  });
  return Object.fromEntries(entries);
}

function wordsIn({ enum: enumeration, message }: DescField, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each) => wordOrMessage(enumeration, message, each));
  return wordOrMessage(enumeration, message, value);
}

function wordOrMessage(
  enumeration: DescEnum | undefined,
  message: DescMessage | undefined,
  value: JsonValue,
): JsonValue {
  if (enumeration !== undefined) return wordOf(enumeration, value);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return message !== undefined && isObject ? withWords(message, value) : value;
}

/** A value of a newer contract, which has no name here, is shown as its number. */
function wordOf({ values }: DescEnum, value: JsonValue): JsonValue {
  const found = values.find(({ name }) => name === value);
  if (found === undefined) return String(value);
  return isUnspecified(found) ? "" : found.localName.toLowerCase();
}

const isUnspecified = ({ number, name }: { number: number; name: string }) =>
  number === 0 && name.endsWith("UNSPECIFIED");

/** The words of an enum that can be given. */
export function wordsOf({ values }: DescEnum): { readonly word: string; readonly name: string }[] {
  return values
    .filter((value) => !isUnspecified(value))
    .map(({ name, localName }) => ({ word: localName.toLowerCase(), name }));
}

/** The value at a path of names, `hit.score`; `undefined` where there is none. */
export function valueAt(json: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split(".").reduce<JsonValue | undefined>((value, name) => {
    if (Array.isArray(value)) return value[Number(name)];
    return typeof value === "object" && value !== null ? value[name] : undefined;
  }, json);
}
