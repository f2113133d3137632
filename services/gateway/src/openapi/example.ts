import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import { componentPath } from "./fields.ts";

/**
 * A value of a schema of ours, made of its fields' examples; fields that may be missing are left
 * out.
 */
export function exampleOfSchema(
  schema: JsonSchema,
  components: ReadonlyMap<string, JsonSchema>,
): unknown {
  const { $ref, examples, type, properties, items, required } = schema;
  if (typeof $ref === "string") {
    const component = components.get($ref.slice(componentPath.length));
    if (component === undefined) throw new Error(`the reference has no component ${$ref}`);
    return exampleOfSchema(component, components);
  }
  if (Array.isArray(examples)) return examples[0];
  if (type === "array") return [exampleOfSchema(items as JsonSchema, components)];
  if (type !== "object") throw new Error("a schema of an answer has no example");
  const names = new Set(required as readonly string[] | undefined);
  const values = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
    .filter(([name]) => names.has(name))
    .map(([name, each]) => [name, exampleOfSchema(each, components)]);
  return Object.fromEntries(values);
}
