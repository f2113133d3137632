import type {
  Condition,
  Field,
  Form,
  PublicBody,
  Rule,
  TextField,
  TextKind,
  Variant,
} from "../fields/field.ts";
import { amountText } from "../fields/make.ts";

/** JSON Schema draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * Returns the schema of one form, with fields, patterns and conditional requirements. Its
 * description states what a schema can't express, such as checksums and rules across fields. The
 * checks trim text and treat `null` as not sent. The schema requires trimmed text and allows no
 * `null`.
 */
export function formSchema(form: Form): JsonSchema {
  const selectable = selectedValues(form);
  const properties = form.fields.map((field): [string, JsonSchema] => {
    const schema = fieldSchema(field);
    const selected = selectable.get(field.name);
    return [
      field.name,
      selected === undefined ? schema : { ...schema, enum: selected, examples: [selected[0]] },
    ];
  });
  return {
    type: "object",
    title: form.name.replaceAll("_", " "),
    description: withRules(form.description, form.rules),
    properties: Object.fromEntries(properties),
    ...requiredNames(form.fields),
    ...(form.needsField === undefined ? {} : { minProperties: 1 }),
    ...conditionsOf(form.fields),
  };
}

function conditionsOf(fields: readonly Field[]): JsonSchema {
  const conditions = fields.flatMap(conditionalSchemas);
  return conditions.length === 0 ? {} : { allOf: conditions };
}

function withRules(description: string, rules: readonly Rule[] = []): string {
  return [description, ...rules.map((rule) => `- ${rule.description}`)].join("\n");
}

/** Returns the single field that selects a body's form, with the form of each value. */
export function selectorOf(
  body: PublicBody,
): { readonly field: string; readonly forms: ReadonlyMap<string, Form> } | undefined {
  const forms = new Map<string, Form>();
  const fields = new Set<string>();
  for (const form of body.forms) {
    const [selection, ...more] = form.selectedBy;
    if (selection === undefined || more.length > 0 || !("in" in selection)) return undefined;
    fields.add(selection.field);
    for (const value of selection.in) forms.set(value, form);
  }
  const [field] = fields;
  return fields.size === 1 && field !== undefined ? { field, forms } : undefined;
}

/** Returns the values that select the form, by field. */
export function selectedValues(form: Form): ReadonlyMap<string, readonly string[]> {
  return new Map(
    form.selectedBy.flatMap((each) => ("in" in each ? [[each.field, each.in] as const] : [])),
  );
}

function requiredNames(fields: readonly Field[]): JsonSchema {
  const names = fields.filter((each) => each.required === true && each.when === undefined);
  return names.length === 0 ? {} : { required: names.map(({ name }) => name) };
}

function fieldSchema(field: Field): JsonSchema {
  const { description } = field;
  switch (field.kind) {
    case "object":
      return { ...objectSchema(field.fields), description: withRules(description, field.rules) };
    case "list":
      return {
        type: "array",
        description,
        minItems: 1,
        maxItems: field.maxItems,
        items: { ...objectSchema(field.fields), ...conditionsOf(field.fields) },
      };
    case "integer": {
      const { min: minimum, max: maximum, example } = field;
      return { type: "integer", description, minimum, maximum, examples: [example] };
    }
    case "texts": {
      const { allowed, maxItems, pattern, example } = field;
      return {
        type: "array",
        description,
        minItems: 1,
        // A repeated word of a closed set counts once.
        ...(allowed === undefined ? { maxItems, uniqueItems: true } : {}),
        items: { type: "string", ...(allowed ? { enum: allowed } : patternOf(pattern.source)) },
        examples: [example],
      };
    }
    case "pairs": {
      const { keys, maxItems: maxProperties, valueMax: maxLength, value, example } = field;
      return {
        type: "object",
        description,
        maxProperties,
        propertyNames: patternOf(`^${keys}$`),
        additionalProperties: { type: "string", maxLength, ...patternOf(value ?? printable) },
        examples: [example],
      };
    }
    case "flag":
      return { type: "boolean", description, examples: [field.example] };
    default:
      return textSchema(field);
  }
}

export function objectSchema(fields: readonly Field[]): JsonSchema {
  const properties = fields.map((field) => [field.name, fieldSchema(field)]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...requiredNames(fields),
  };
}

function textSchema(field: TextField): JsonSchema {
  const { description, allowed, pattern, shape, example, normal } = field;
  const maxLength = normal?.sent?.maxLength ?? field.maxLength;
  const source = normal?.sent?.pattern ?? pattern?.source ?? shape;
  const any = field.kind === "text" && allowed === undefined ? textOf(field) : {};
  const own = {
    ...any,
    ...(allowed === undefined ? { maxLength } : { enum: allowed }),
    ...patternOf(source),
  };
  return { ...kindSchema(field.kind, own, field.maxLength), description, examples: [example] };
}

/** A text without control characters. */
export const printable = "^[^\\x00-\\x1F\\x7F-\\x9F]*$";
/** A text that also has a character other than a blank, because texts are trimmed. */
const printableAndNotBlank =
  "^[^\\x00-\\x1F\\x7F-\\x9F]*[^\\x00-\\x20\\x7F-\\xA0][^\\x00-\\x1F\\x7F-\\x9F]*$";

/** The schema of any text. An empty one counts as not sent. */
function textOf({ required }: TextField): JsonSchema {
  if (required === false) return { pattern: printable };
  return { minLength: 1, pattern: printableAndNotBlank };
}

/**
 * Returns the pattern, if regular expressions of all languages have its syntax. Go has no
 * lookaround, and Python has no `\p`. The service checks the others, and descriptions state them.
 */
function patternOf(source: string | undefined): { readonly pattern?: string } {
  if (source === undefined) return {};
  const pattern = withoutExclusions(source);
  return /\\[pP]\{|\(\?(?!:)/.test(pattern) ? {} : { pattern };
}

/** Removes negative lookaheads. The other texts still match, and Go can read the pattern. */
export function withoutExclusions(source: string): string {
  return source.replaceAll(/\(\?![^()]*\)/g, "");
}

/** The schema of a kind of text. `own` are the keywords of the field. */
function kindSchema(kind: TextKind, own: JsonSchema, digitsMax: number): JsonSchema {
  if (kind === "digits") {
    const text = { type: "string", pattern: "^[0-9]+$", ...own };
    return { anyOf: [text, { type: "integer", minimum: 0, maximum: 10 ** digitsMax - 1 }] };
  }
  if (kind === "amount") {
    const number = { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1e15 };
    return { anyOf: [{ type: "string", pattern: amountText, ...own }, number] };
  }
  // Most languages read a date or a time as a type of their own, without a pattern or length.
  const isTime = kind === "date" || kind === "time";
  return isTime ? textSchemas[kind] : { ...textSchemas[kind], ...own };
}

const textSchemas: Readonly<Record<Exclude<TextKind, "digits" | "amount">, JsonSchema>> = {
  text: { type: "string" },
  country: { type: "string", pattern: "^[A-Z]{2}$" },
  date: { type: "string", format: "date" },
  time: { type: "string", format: "date-time" },
  email: { type: "string", format: "email" },
  url: { type: "string", format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://" },
};

function ifThen(condition: JsonSchema, consequence: JsonSchema): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword; a schema is never awaited.
  return { if: condition, then: consequence };
}

/** Returns the schemas for a field's conditional requirements and notations. */
function conditionalSchemas(field: Field): JsonSchema[] {
  const { name, required, when } = field;
  const conditions = [when, typeof required === "boolean" ? undefined : required];
  const needed = conditions.flatMap((each) => (each === undefined ? [] : [conditionSchema(each)]));
  const variants = "variants" in field ? (field.variants ?? []) : [];
  return [
    ...(required === false || needed.length === 0
      ? []
      : [ifThen(allOf(needed), { required: [name] })]),
    ...variants.flatMap((variant) => {
      const schema = variantSchema(variant);
      const consequence = { properties: { [name]: { type: "string", ...schema } } };
      const isEmpty = Object.keys(schema).length === 0;
      return isEmpty ? [] : [ifThen(conditionSchema(variant.when), consequence)];
    }),
  ];
}

/**
 * Returns the schema of a variant. A method's limit counts Latin letters after romanisation. Text
 * in another script may become longer, so fewer of its letters fit. The rules say so.
 */
function variantSchema({ pattern, shape, carried }: Variant): JsonSchema {
  const source = pattern?.source ?? shape;
  const maxLength = carried?.limit.longer === "refused" ? carried.limit.max : undefined;
  return {
    ...patternOf(source),
    ...(maxLength === undefined ? {} : { maxLength }),
  };
}

function allOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only, ...more] = schemas;
  return only !== undefined && more.length === 0 ? only : { allOf: schemas };
}

function conditionSchema(condition: Condition): JsonSchema {
  const { field } = condition;
  if ("absent" in condition) return { not: { required: [field] } };
  if ("present" in condition) return { required: [field] };
  if ("set" in condition) {
    const isTrue = { properties: { [field]: { const: true } }, required: [field] };
    return condition.set ? isTrue : { not: isTrue };
  }
  const values = "in" in condition ? condition.in : condition.notIn;
  const listed = { properties: { [field]: { enum: values } }, required: [field] };
  return "in" in condition ? listed : { not: listed };
}
