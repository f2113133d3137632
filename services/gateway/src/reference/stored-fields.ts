import type { Field, PublicBody, TextField } from "@disburse/forms/field.ts";
import type { JsonSchema } from "@disburse/forms/json-schema.ts";
import { fieldsOf } from "@disburse/forms/read-body.ts";

/**
 * The fields of a body as they are read back: text as it was stored, without the checks of what is
 * sent. Which of them a record has depends on its form, so all of them may be missing.
 */
export function storedFields(body: PublicBody): Readonly<Record<string, JsonSchema>> {
  return propertiesOf(fieldsOf(body));
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
      return storedText(field);
  }
}

function storedText({ description, example }: TextField): JsonSchema {
  return { type: "string", description, examples: [example] };
}
