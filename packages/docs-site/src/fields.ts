import type { Json, JsonObject } from "./samples.ts";

/** The JSON Schema keywords that the contract uses and the pages show. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
};

export type Schemas = Readonly<Record<string, Schema>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the part of the contract that a reference names, or the part itself. */
export function resolved<Part extends object>(
  part: Part | { readonly $ref?: string },
  parts: Readonly<Record<string, Part>>,
): Part {
  if (!("$ref" in part) || part.$ref === undefined) return part as Part;
  const found = parts[part.$ref.slice(part.$ref.lastIndexOf("/") + 1)];
  if (found === undefined) throw new Error(`the contract has no ${part.$ref}`);
  return resolved(found, parts);
}

/** Returns a schema with all its alternatives and parts, without those that depend on values. */
function partsOf(schema: Schema, schemas: Schemas): Schema[] {
  const own = resolved(schema, schemas);
  const parts = [...(own.allOf ?? []), ...(own.anyOf ?? []), ...(own.oneOf ?? [])];
  return [own, ...parts.flatMap((each) => partsOf(each, schemas))];
}

/** Checks the keywords that conditions and the choice of a form depend on. */
function matches(schema: Schema, value: Json | undefined, schemas: Schemas): boolean {
  const own = resolved(schema, schemas);
  const { required = [], properties = {}, minProperties = 0 } = own;
  if (own.const !== undefined && value !== own.const) return false;
  if (own.enum !== undefined && !own.enum.includes(value ?? null)) return false;
  if (own.not !== undefined && matches(own.not, value, schemas)) return false;
  if (own.allOf?.some((each) => !matches(each, value, schemas))) return false;
  for (const choice of [own.anyOf, own.oneOf]) {
    if (choice !== undefined && !choice.some((each) => matches(each, value, schemas))) return false;
  }
  if (own.if !== undefined && own.then !== undefined && matches(own.if, value, schemas)) {
    if (!matches(own.then, value, schemas)) return false;
  }
  if (!isObject(value)) return true;
  return (
    required.every((name) => name in value) &&
    Object.keys(value).length >= minProperties &&
    Object.entries(properties).every(
      ([name, each]) => value[name] === undefined || matches(each, value[name], schemas),
    )
  );
}

/** Returns the schema of the form that a body matches, or the schema itself. */
export function formOf(schema: Schema, value: Json, schemas: Schemas): Schema {
  const own = resolved(schema, schemas);
  const forms = own.oneOf ?? own.anyOf ?? [];
  return resolved(forms.find((each) => matches(each, value, schemas)) ?? own, schemas);
}

/** Returns a body without the fields that its form doesn't require. */
export function minimalOf(schema: Schema, value: Json, schemas: Schemas): Json {
  const form = formOf(schema, value, schemas);
  const inner = (name: string, each: Json): Json => {
    const its = partsOf(form, schemas).find(({ properties }) => properties?.[name]);
    return minimalOf(its?.properties?.[name] ?? {}, each, schemas);
  };
  if (Array.isArray(value)) {
    return value.slice(0, 1).map((each) => minimalOf(form.items ?? {}, each, schemas));
  }
  if (!isObject(value)) return value;
  let kept: JsonObject = value;
  for (const name of Object.keys(value).reverse()) {
    const { [name]: _, ...others } = kept;
    if (matches(form, others, schemas)) kept = others;
  }
  return Object.fromEntries(Object.entries(kept).map(([name, each]) => [name, inner(name, each)]));
}

export type Field = { readonly name: string; readonly type: string; readonly text: string };

/** Lists the fields of a schema; those of objects and lists have dotted names. */
export function fieldsOf(schema: Schema, schemas: Schemas, prefix = ""): Field[] {
  const fields = partsOf(schema, schemas).flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([key, each]): Field[] => {
      const name = `${prefix}${key}`;
      const text = partsOf(each, schemas).find(({ description }) => description)?.description ?? "";
      const items = partsOf(each, schemas).find((part) => part.items)?.items;
      return [
        { name, type: typeOf(each, schemas), text },
        ...(items === undefined
          ? fieldsOf(each, schemas, `${name}.`)
          : fieldsOf(items, schemas, `${name}[].`)),
      ];
    }),
  );
  return [...new Map(fields.map((each) => [each.name, each])).values()];
}

/** Lists the names of the fields that a body has, as `fieldsOf` does. */
export function namesIn(value: Json, prefix = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => namesIn(each, `${prefix}[]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const name = prefix === "" ? key : `${prefix}.${key}`;
    return [name, ...namesIn(each, name)];
  });
}

/** Describes a field's type with its values and limits. */
export function typeOf(schema: Schema, schemas: Schemas): string {
  const parts = partsOf(schema, schemas);
  const types = new Set(parts.flatMap(({ type }) => type ?? []));
  const own = Object.assign({}, ...parts.toReversed()) as Schema;
  const values = parts.flatMap(
    (each) => each.enum ?? (each.const === undefined ? [] : [each.const]),
  );
  const items = own.items === undefined ? "" : ` of ${typeOf(own.items, schemas)}`;
  const limits = [
    own.format,
    own.minimum !== undefined && `from ${own.minimum}`,
    (own.maximum ?? own.maxLength ?? own.maxItems) !== undefined &&
      `up to ${own.maximum ?? own.maxLength ?? own.maxItems}`,
  ].filter((each) => typeof each === "string");
  const shown = [...new Set(values)].map((each) => `\`${each}\``).join(" ");
  const type = [[...types].join(" or ") + items, ...limits].filter((each) => each !== "");
  return [type.join(", "), shown].filter((each) => each !== "").join(": ");
}
