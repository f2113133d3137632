import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { fieldsOf } from "@disburse/forms/checks/read.ts";
import { type JsonSchema, objectSchema } from "@disburse/forms/describe/json-schema.ts";
import type { PublicBody } from "@disburse/forms/fields/field.ts";
import type { Component } from "./fields.ts";

/**
 * Adds the fields of a record's stored body, without the constraints of the request. All of them
 * are optional, because the record's form decides which ones exist. If names collide, the record's
 * own fields win.
 */
export function withStored<Message>(
  bodies: readonly PublicBody[],
  read: (message: Message) => object,
  { name, schema, write }: Component<Message>,
): Component<Message> {
  const own = schema as { properties: object; required: readonly string[] };
  const ofBodies = objectSchema(bodies.flatMap(fieldsOf)).properties;
  const properties = { ...storedProperties(ofBodies), ...own.properties };
  const required = Object.keys(properties).filter((each) => own.required.includes(each));
  return {
    name,
    schema: { ...schema, properties, required },
    write: (message) => ({ ...read(message), ...(write(message) as object) }),
  };
}

/**
 * Returns the fields of a message under the names that the public body uses. Omits empty fields.
 */
export function storedValues<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
): object {
  return toJson(desc, message, { useProtoFieldName: true }) as object;
}

/** Removes a request's constraints from a field's schema. */
function stored(schema: JsonSchema): JsonSchema {
  const {
    type = "string",
    description,
    properties,
    items,
    additionalProperties,
    examples,
  } = schema;
  return {
    type,
    ...(description !== undefined && { description }),
    ...(properties !== undefined && { properties: storedProperties(properties) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: stored(additionalProperties as JsonSchema),
    }),
    ...(items !== undefined && { items: stored(items as JsonSchema) }),
    ...(examples !== undefined && { examples }),
  };
}

function storedProperties(properties: unknown): Readonly<Record<string, JsonSchema>> {
  const all = Object.entries(properties as Record<string, JsonSchema>);
  return Object.fromEntries(all.map(([name, schema]) => [name, stored(schema)]));
}
