import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import { componentPath } from "./fields.ts";

type Document = { readonly [part: string]: unknown };

/**
 * Moves every inline schema of an object, or of a union of components, to the components and leaves
 * a reference. Client generators name a schema after its component; they number inline schemas
 * (`InlineObject14`), and `oapi-codegen` sends a body of an inline union as `{}`. Equal schemas
 * share a component.
 */
export function withNamedSchemas(document: Document): Document {
  const { components, ...rest } = document;
  const { schemas, ...others } = components as { readonly schemas: Record<string, JsonSchema> };
  const named = new Map<string, JsonSchema>(Object.entries(schemas));
  const namesByText = new Map<string, string>();

  const hoisted = (schema: JsonSchema, wanted: string): JsonSchema => {
    const key = JSON.stringify(schema);
    const known = namesByText.get(key);
    const name = known ?? freeName(wanted, named);
    namesByText.set(key, name);
    named.set(name, schema);
    return { $ref: `${componentPath}${name}` };
  };
  const visit = (node: unknown, name: string, isRoot = false): unknown => {
    if (Array.isArray(node)) return node.map((each) => visit(each, name));
    if (typeof node !== "object" || node === null) return node;
    const inside = Object.entries(node).map(([key, value]): [string, unknown] => [
      key,
      valuesOnly.has(key) ? value : visit(value, nameOf(name, key, node)),
    ]);
    const copy: JsonSchema = Object.fromEntries(inside);
    const isObject = copy.type === "object" && copy.properties !== undefined && !("read" in copy);
    if (isRoot || !(isObject || isUnion(copy))) return copy;
    return hoisted(copy, nameOfEnvelope(copy) ?? name);
  };

  for (const [name, schema] of Object.entries(schemas)) {
    named.set(name, visit(schema, name, true) as JsonSchema);
  }
  const visited = visit({ ...rest, components: others }, "") as Document;
  const { components: rest2, ...top } = visited;
  return {
    ...top,
    components: { schemas: Object.fromEntries(named), ...(rest2 as object) },
  };
}

/** Keywords whose values are data and not schemas. */
const valuesOnly: ReadonlySet<string> = new Set(["example", "examples", "value", "enum", "const"]);

/** Keywords that do not add to a name. */
const unnamed: ReadonlySet<string> = new Set([
  ...["properties", "schema", "content", "application/json", "anyOf", "oneOf", "allOf", "then"],
  ...["additionalProperties", "paths", "webhooks", "post", "components"],
]);

/** Returns the name of a schema at a key of a node: `PayoutFees` for `fees` of `Payout`. */
function nameOf(name: string, key: string, node: object): string {
  if (key === "items") return `${name}Item`;
  if ("operationId" in node && typeof node.operationId === "string") {
    // `oapi-codegen` writes a type `<operation>Response` of its own.
    return pascal(`${node.operationId}_${key === "responses" ? "result" : "request"}`);
  }
  if (/^[1-5]\d\d$/.test(key)) return name;
  if (unnamed.has(key)) return name;
  const own = pascal(key);
  // `DepositorBusinessDetails`, and not `DepositorDepositorBusinessDetails`.
  return own.startsWith(name) ? own : name + own;
}

/** Returns true for a schema that is one of several components. */
function isUnion({ oneOf, anyOf }: JsonSchema): boolean {
  const members = oneOf ?? anyOf;
  return Array.isArray(members) && members.every((each) => "$ref" in each);
}

/** Returns `PayoutResponse` for an object that has a `Payout` as its data. */
function nameOfEnvelope({ properties = {} }: JsonSchema): string | undefined {
  const { data, ...others } = properties as { readonly data?: { readonly $ref?: string } };
  if (data?.$ref === undefined || Object.keys(others).length > 0) return undefined;
  return `${data.$ref.slice(componentPath.length)}Response`;
}

function pascal(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return words.map((each) => each.charAt(0).toUpperCase() + each.slice(1)).join("");
}

function freeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  let name = wanted;
  for (let at = 2; taken.has(name); at += 1) name = `${wanted}${at}`;
  return name;
}
