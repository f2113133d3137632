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
 * Converts a message to the JSON of `--json`: the contract's field names, enum values in lower case
 * (`true_match`; "" if unspecified), times in ISO 8601, amounts and 64-bit counts as text. Fields
 * with their default value are included; unset messages are omitted.
 */
export function plainOf<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): JsonObject {
  const options = { alwaysEmitImplicit: true, useProtoFieldName: true };
  return withValueNames(schema, toJson(schema, message, options) as JsonObject);
}

function withValueNames({ fields }: DescMessage, json: JsonObject): JsonObject {
  const entries = fields.flatMap((field) => {
    const value = json[field.name];
    return value === undefined ? [] : [[field.name, valueNamesIn(field, value)] as const];
  });
  return Object.fromEntries(entries);
}

function valueNamesIn({ enum: enumeration, message }: DescField, value: JsonValue): JsonValue {
  if (Array.isArray(value))
    return value.map((each) => valueNameOrMessage(enumeration, message, each));
  return valueNameOrMessage(enumeration, message, value);
}

function valueNameOrMessage(
  enumeration: DescEnum | undefined,
  message: DescMessage | undefined,
  value: JsonValue,
): JsonValue {
  if (enumeration !== undefined) return valueNameOf(enumeration, value);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return message !== undefined && isObject ? withValueNames(message, value) : value;
}

/** Prints an enum value that this version of the contract doesn't know as its number. */
function valueNameOf({ values }: DescEnum, value: JsonValue): JsonValue {
  const found = values.find(({ name }) => name === value);
  if (found === undefined) return String(value);
  return isUnspecified(found) ? "" : found.localName.toLowerCase();
}

const isUnspecified = ({ number, name }: { number: number; name: string }) =>
  number === 0 && name.endsWith("UNSPECIFIED");

/** Returns the names of an enum's values, without the unspecified value. */
export function enumChoices({
  values,
}: DescEnum): { readonly choice: string; readonly name: string }[] {
  return values
    .filter((value) => !isUnspecified(value))
    .map(({ name, localName }) => ({ choice: localName.toLowerCase(), name }));
}

/** Returns the value at a dotted path, `hit.score`, or `undefined`. */
export function valueAt(json: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split(".").reduce<JsonValue | undefined>((value, name) => {
    if (Array.isArray(value)) return value[Number(name)];
    return typeof value === "object" && value !== null ? value[name] : undefined;
  }, json);
}
