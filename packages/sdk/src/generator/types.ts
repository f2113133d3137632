import { type Document, nameOf, type Operation, type Schema } from "./document.ts";

/** Formats text as an indented documentation comment. */
export function comment(text: string, indent = ""): string {
  const lines = text.replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n");
  return `${indent}/**\n${body}\n${indent} */\n`;
}

/** Returns the TypeScript type of a schema. Throws if no rule covers the schema. */
export function typeOf(schema: Schema, indent = ""): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
  const either = schema.oneOf ?? schema.anyOf;
  if (either !== undefined) return unionOf(either, indent);
  const { type } = schema;
  switch (type) {
    case "string":
      return schema.format === "decimal" ? "Decimal" : "string";
    case "number":
      if (schema.format === "decimal") return "Decimal";
      break;
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return schema.items === undefined ? "unknown[]" : listType(typeOf(schema.items, indent));
    case "object":
      return objectType(schema, indent);
  }
  throw new Error(`the generator has no type for ${JSON.stringify(schema)}`);
}

/**
 * Returns the type of alternatives. Known values beside any text keep their completion in editors.
 * For a number or text, only text is exact.
 */
function unionOf(either: readonly Schema[], indent: string): string {
  const types = either.map(({ type }) => type);
  if (types.includes("string") && types.includes("number")) return "Decimal";
  if (types.includes("string") && types.includes("integer")) return "string";
  const [known, ...more] = either;
  const isOpen = known?.enum !== undefined && more.length === 1 && more[0]?.type === "string";
  if (isOpen) return `${typeOf(known, indent)} | (string & {})`;
  return either.map((each) => typeOf(each, indent)).join(" | ");
}

function listType(item: string): string {
  return /[ {]/.test(item) ? `Array<${item}>` : `${item}[]`;
}

function objectType(schema: Schema, indent: string, absent = ""): string {
  const { properties, required = [], additionalProperties: more } = schema;
  const open = more === true ? "unknown" : more ? typeOf(more, indent) : undefined;
  if (properties === undefined) return `Record<string, ${open ?? "unknown"}>`;
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(([name, field]) => {
    const type = typeOf(field, inner);
    const typed = required.includes(name) ? `: ${type}` : `?: ${type}${absent}`;
    return `${documentation(field, inner)}${inner}${name}${typed};\n`;
  });
  const rest = open === undefined ? "" : `${inner}[field: string]: ${open};\n`;
  return `{\n${fields.join("")}${rest}${indent}}`;
}

function documentation({ description }: Schema, indent: string): string {
  return description === undefined ? "" : comment(description, indent);
}

/** Returns `CreateCryptoBeneficiary` for `createCryptoBeneficiary`. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

export function bodyType({ id, body }: Operation): string | undefined {
  if (body?.$ref !== undefined) return nameOf(body.$ref);
  return body?.oneOf || body?.anyOf ? `${capitalized(id)}Request` : undefined;
}

const decimalText =
  'An exact decimal with the digits that the platform sends: `"100.10"`. Amounts, rates and fees\n' +
  "have this type in requests and responses. Calculate with a decimal library, never with\n" +
  "`Number`.";

/** Generates all types: named schemas, bodies with alternatives, queries, events and codes. */
export function typesSource(document: Document, operations: readonly Operation[]): string {
  const { ApiError: refusal, ...schemas } = document.components.schemas;
  // Pages have the client's own type `Page`.
  const named = Object.entries(schemas).flatMap(([name, schema]) =>
    schema.properties?.meta_data === undefined && !isEnvelope(schema)
      ? [declaration(name, schema)]
      : [],
  );
  const bodies = operations.flatMap((each) =>
    each.body !== undefined && each.body.$ref === undefined && bodyType(each) !== undefined
      ? [declaration(bodyType(each) ?? "", each.body)]
      : [],
  );
  const queries = operations.flatMap(({ id, query }) =>
    query.length === 0 ? [] : [querySource(id, query)],
  );
  const events = Object.values(document.webhooks).map(
    ({ post }) => post.requestBody.content["application/json"]?.schema ?? {},
  );
  const codes = refusal?.properties?.code?.anyOf?.[0]?.enum ?? [];
  return [
    `${comment(decimalText)}export type Decimal = string;\n`,
    ...named,
    ...bodies,
    ...queries,
    declaration("WebhookEvent", {
      description: "The body of a webhook; `transaction_type` determines its type.",
      anyOf: events,
    }),
    declaration("ErrorCode", { description: "Error codes of the platform.", enum: codes }),
    wholeFields(document),
    webhookDecimals(document, events),
  ].join("\n");
}

/** The client returns the content of these objects. */
function isEnvelope({ properties = {} }: Schema): boolean {
  return Object.keys(properties).join() === "data";
}

function declaration(name: string, schema: Schema, type = typeOf(schema)): string {
  const head = `${documentation(schema, "")}export `;
  return type.startsWith("{")
    ? `${head}interface ${name} ${type}\n`
    : `${head}type ${name} =\n  | ${type.replaceAll(" | ", "\n  | ")};\n`;
}

function querySource(id: string, query: Operation["query"]): string {
  const flags = (schema: Schema): Schema =>
    schema.enum?.join() === "true,false" ? { type: "boolean" } : schema;
  const schema: Schema = {
    description: `Query parameters of \`${id}\`.`,
    type: "object",
    properties: Object.fromEntries(
      query.map(({ name, description, schema }) => [name, { ...flags(schema), description }]),
    ),
  };
  // Filters accept `undefined`, so that programs can pass optional values.
  return declaration(`${capitalized(id)}Query`, schema, objectType(schema, "", " | undefined"));
}

/**
 * Generates the set of response fields that are integers, by name. All other numbers are decimals.
 */
function wholeFields(document: Document): string {
  const kinds = new Map<string, "whole" | "decimal">();
  const visit = (name: string, schema: Schema): void => {
    const kind = schema.type === "integer" ? "whole" : "decimal";
    if (schema.type === "integer" || schema.type === "number") {
      if ((kinds.get(name) ?? kind) !== kind)
        throw new Error(`the field ${name} is both integer and decimal`);
      kinds.set(name, kind);
    }
    for (const [field, each] of Object.entries(schema.properties ?? {})) visit(field, each);
    if (schema.items !== undefined) visit(name, schema.items);
  };
  for (const schema of Object.values(document.components.schemas)) visit("", schema);
  const whole = [...kinds].flatMap(([name, kind]) => (kind === "whole" ? [`  "${name}",\n`] : []));
  const text = "Integer fields; all other numbers in responses are decimals.";
  return `${comment(text)}export const wholeFields: ReadonlySet<string> = new Set([\n${whole
    .sort()
    .join("")}]);\n`;
}

/**
 * Generates the set of webhook fields that are decimals, by name. Test events write these fields as
 * numbers.
 */
function webhookDecimals({ components }: Document, events: readonly Schema[]): string {
  const names = new Set<string>();
  const visit = (schema: Schema): void => {
    if (schema.$ref !== undefined) visit(components.schemas[nameOf(schema.$ref)] ?? {});
    for (const [name, each] of Object.entries(schema.properties ?? {})) {
      if (each.type === "number") names.add(name);
      visit(each);
    }
  };
  for (const each of events) visit(each);
  const rows = [...names].sort().map((name) => `  "${name}",\n`);
  const text = "Decimal fields of webhooks, which the platform writes as JSON numbers.";
  return `${comment(text)}export const webhookDecimals: ReadonlySet<string> = new Set([\n${rows.join("")}]);\n`;
}
