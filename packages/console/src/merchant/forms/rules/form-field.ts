import type { BeneficiaryForm } from "@disburse/sdk/gen/types.ts";
import { labelOf } from "../field-label.ts";

/** A form field derived from the public API's description of a body. */
export type FormField = {
  /** Path in the body: `company_owner_details[0].person_details.firstname`. */
  readonly path: string;
  readonly label: string;
  readonly type: "text" | "country" | "date" | "email" | "digits" | "flag" | "words";
  readonly isRequired: boolean;
  /** Path of the flag that makes the field optional. */
  readonly requiredUnless?: string | undefined;
  readonly hint: string;
  readonly maxLength?: number | undefined;
  readonly choices?: readonly string[] | undefined;
  /** The labels of the choices. A choice without a label is shown unchanged. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly pattern?: string | undefined;
  readonly patternMessage?: string | undefined;
  readonly initial: string;
};

/** Converts a form from form discovery to fields. Keeps their order. */
export function discoveredFields(form: BeneficiaryForm): FormField[] {
  return form.fields.flatMap((field) => {
    const { name, type, required: isRequired, allowed_values: choices } = field;
    const only = isRequired && choices?.length === 1 ? choices[0] : undefined;
    const shown: FormField = {
      path: name,
      label: labelOf(name),
      type: type as FormField["type"],
      isRequired,
      hint: `${field.description} ${exampleOf(field.example)}`,
      choices,
      maxLength: field.max_length,
      pattern: field.pattern,
      requiredUnless: field.required_unless,
      patternMessage: field.pattern_message,
      initial: only ?? field.default ?? "",
    };
    return field.required_unless === undefined
      ? [shown]
      : [shown, flagField(field.required_unless)];
  });
}

/** Creates a checkbox that makes the previous field optional. */
function flagField(path: string): FormField {
  return {
    path,
    label: labelOf(path),
    type: "flag",
    isRequired: false,
    hint: "",
    choices: ["true", "false"],
    initial: "",
  };
}

/** The JSON Schema keywords that the reference uses for bodies. */
export type BodySchema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly required?: readonly string[];
  readonly items?: BodySchema;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly examples?: readonly string[];
};

/** The named schemas of the reference. */
export type Components = Readonly<Record<string, BodySchema>>;

/**
 * Converts the schema of a body to fields, and flattens objects. For a list, `counts` gives the
 * number of items by path.
 */
export function schemaFields(
  schema: BodySchema,
  components: Components,
  counts: Readonly<Record<string, number>> = {},
  prefix = "",
): FormField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const each = resolved(property, components);
    const { items } = each;
    if (each.type === "object") return schemaFields(each, components, counts, `${path}.`);
    if (each.type === "array" && items !== undefined) {
      const item = resolved(items, components);
      const numbers = Array.from({ length: counts[path] ?? 1 }, (_, index) => index);
      return numbers.flatMap((n) => schemaFields(item, components, counts, `${path}[${n}].`));
    }
    return [schemaField(path, each, schema.required?.includes(name) ?? false)];
  });
}

function resolved(schema: BodySchema, components: Components): BodySchema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : (components[name] ?? schema);
}

const country = "^[A-Z]{2}$";

function schemaField(path: string, schema: BodySchema, isRequired: boolean): FormField {
  const { format, pattern, enum: choices, maxLength, description = "" } = schema;
  const type = format === "date" ? "date" : pattern === country ? "country" : "text";
  const only = isRequired && choices?.length === 1 ? choices[0] : undefined;
  return {
    path,
    label: labelOf(path),
    type,
    isRequired,
    choices,
    maxLength,
    pattern,
    hint: `${description} ${exampleOf(schema.examples?.[0])}`,
    initial: only ?? "",
  };
}

function exampleOf(example: string | undefined): string {
  return example === undefined || example === "" ? "" : `Example: ${example}`;
}
