import type { JsonSchema } from "@disburse/forms/json-schema.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";

/** A schema with a name of its own in the reference. */
export type Component = { readonly name: string; readonly schema: JsonSchema };

/** Where components stand in the document. */
export const componentPath = "#/components/schemas/";

/** Text of ours; the example is one that a merchant would read. */
export function text(description: string, example: string, more: JsonSchema = {}): JsonSchema {
  return { type: "string", description, ...more, examples: [example] };
}

/** One of a closed set of words. */
export function word(description: string, words: readonly string[]): JsonSchema {
  return { type: "string", description, enum: words, examples: [words[0]] };
}

/** An id: its prefix, and 26 characters that sort by the time they were made. */
export function id(prefix: string, description: string): JsonSchema {
  const pattern = `^${prefix}_[0-9a-z]{26}$`;
  return text(description, `${prefix}_01hqz0000000000000000000ab`, { pattern });
}

/** A JSON number whose digits are exact: to be read with a decimal parser, never as a float. */
export function decimal(description: string, example: string): JsonSchema {
  return { type: "number", format: "decimal", description, examples: [exactNumber(example)] };
}

/** The same digits as a string. */
export function decimalText(description: string, example: string): JsonSchema {
  return text(description, example, { format: "decimal", pattern: "^-?[0-9]+([.][0-9]+)?$" });
}

/** A whole number that fits a float exactly. */
export function whole(description: string, example: number, more: JsonSchema = {}): JsonSchema {
  return { type: "integer", description, minimum: 0, ...more, examples: [example] };
}

export function flag(description: string, example: boolean): JsonSchema {
  return { type: "boolean", description, examples: [example] };
}

/** ISO 8601 in UTC with milliseconds. */
export function moment(description: string): JsonSchema {
  const pattern = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$";
  return text(description, "2026-11-20T11:26:00.123Z", { format: "date-time", pattern });
}

/** A moment, or the empty text where there is none yet. */
export function momentOrNone(description: string): JsonSchema {
  return text(description, "", {
    pattern: "^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z)?$",
  });
}

/** When a record was made, and last changed. */
export const recordTimes = {
  created_at: moment("When it was made."),
  updated_at: moment("When it last changed."),
} as const;

export function ref({ name }: Component): JsonSchema {
  return { $ref: `${componentPath}${name}` };
}

export function listOf(description: string, items: JsonSchema): JsonSchema {
  return { type: "array", description, items };
}

/** An object whose fields are always there, but for those named as optional. */
export function object(
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", description, properties, required };
}

/** An object with a name of its own in the reference. */
export function component(
  name: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): Component {
  return { name, schema: object(description, properties, optional) };
}
