import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { fieldsOf } from "@disburse/forms/checks/read.ts";
import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import type { Field, PublicBody } from "@disburse/forms/fields/field.ts";
import type { Component } from "./fields.ts";

/**
 * A record with the fields of its body as they were stored, without the checks of what is sent.
 * Which of them it has depends on its form, so all of them may be missing; its own fields win.
 */
export function withStored<Message>(
  bodies: readonly PublicBody[],
  read: (message: Message) => object,
  { name, schema, write }: Component<Message>,
): Component<Message> {
  const own = schema as { properties: object; required: readonly string[] };
  const properties = { ...propertiesOf(bodies.flatMap(fieldsOf)), ...own.properties };
  const required = Object.keys(properties).filter((each) => own.required.includes(each));
  return {
    name,
    schema: { ...schema, properties, required },
    write: (message) => ({ ...read(message), ...(write(message) as object) }),
  };
}

/** A message's fields under the names of the public body; those that are empty are left out. */
export function storedValues<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
): object {
  return toJson(desc, message, { useProtoFieldName: true }) as object;
}

function propertiesOf(fields: readonly Field[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(fields.map((field) => [field.name, storedField(field)]));
}

function storedField(field: Field): JsonSchema {
  const { description } = field;
  switch (field.kind) {
    case "object":
      return { type: "object", description, properties: propertiesOf(field.fields) };
    case "list":
      return {
        type: "array",
        description,
        items: { type: "object", properties: propertiesOf(field.fields) },
      };
    case "integer":
      return { type: "integer", description, examples: [field.example] };
    case "words":
    case "texts":
      return { type: "array", description, items: { type: "string" }, examples: [field.example] };
    case "flag":
      return { type: "boolean", description, examples: [field.example] };
    default:
      return { type: "string", description, examples: [field.example] };
  }
}
