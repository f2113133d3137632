import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import {
  type ExactJson,
  ExactNumber,
  exactValue,
  isJsonObject,
  type JsonObject,
  parseExactJson,
} from "@disburse/kernel/exact-json.ts";
import { componentPath } from "./fields.ts";
import { amountsHeader } from "./responses.ts";
import { decimalNames, textAmounts } from "./text-amounts.ts";

type Document = {
  readonly info: JsonObject;
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly webhooks: JsonObject;
  readonly components: { readonly schemas: JsonObject } & JsonObject;
} & JsonObject;

/**
 * Returns the contract of requests with `Disburse-Amounts: string`. Its amounts are strings,
 * because most client generators read JSON numbers as floats. Webhooks and JSON files have numbers
 * despite the header. They refer to copies of the schemas that they share with other responses.
 */
export function withStringAmounts(document: JsonSchema): unknown {
  const exact = parseExactJson(JSON.stringify(document)) as Document;
  const { info, paths, webhooks, components, ...rest } = exact;
  const { schemas, parameters, ...refusals } = components;
  const names = decimalNames(document);
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const ofStrings = namesIn(operations.filter(hasData), schemas);
  const named: JsonObject = {};

  const nameOf = (source: string, isText: boolean): string => {
    const isCopied = !isText && ofStrings.has(source) && hasDecimals(source, schemas);
    const name = isCopied ? `${source}WithNumbers` : source;
    if (!Object.hasOwn(named, name)) {
      // Reserves the name: schemas may refer to each other.
      named[name] = {};
      named[name] = rewritten(schemas[source] ?? {}, isText);
    }
    return name;
  };
  const rewritten = (node: ExactJson, isText: boolean): ExactJson => {
    if (Array.isArray(node)) return node.map((each) => rewritten(each, isText));
    if (!isJsonObject(node)) return node;
    const source = nameIn(node);
    if (source !== undefined) return { $ref: componentPath + nameOf(source, isText) };
    const inside = Object.entries(node).map(([key, value]): [string, ExactJson] => {
      if (key !== "examples") return [key, rewritten(value, isText)];
      return [key, isText ? textAmounts(value, names) : value];
    });
    const copy: JsonObject = Object.fromEntries(inside);
    return isText ? withString(copy) : copy;
  };
  const operation = (its: JsonObject): JsonObject => {
    const isText = hasData(its);
    const copy = rewritten(its, isText) as JsonObject;
    const { parameters: own } = copy;
    if (!isText || !Array.isArray(own)) return copy;
    return { ...copy, parameters: [...own, { $ref: "#/components/parameters/Amounts" }] };
  };
  const written = Object.entries(paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).map(([method, its]) => [method, operation(its)])),
  ]);
  return exactValue({
    ...rest,
    info: { ...info, description: introduction },
    paths: Object.fromEntries(written),
    webhooks: rewritten(webhooks, false),
    components: {
      ...(rewritten(refusals, true) as JsonObject),
      parameters: { ...(parameters as JsonObject), Amounts: amountsHeader },
      schemas: named,
    },
  });
}

const introduction =
  "Pays beneficiaries in fiat and crypto from your accounts, and reports each change by webhook. Every request sends `Disburse-Amounts: string`, so amounts are strings of exact decimals.";

/** Returns the name of the schema that an object refers to. */
function nameIn({ $ref }: JsonObject): string | undefined {
  return typeof $ref === "string" && $ref.startsWith(componentPath)
    ? $ref.slice(componentPath.length)
    : undefined;
}

/** Returns the names of all schemas that a part refers to, also indirectly. */
function namesIn(
  node: ExactJson,
  schemas: JsonObject,
  names: Set<string> = new Set(),
): Set<string> {
  if (Array.isArray(node)) for (const each of node) namesIn(each, schemas, names);
  else if (isJsonObject(node)) {
    const name = nameIn(node);
    if (name !== undefined && !names.has(name)) {
      names.add(name);
      namesIn(schemas[name] ?? {}, schemas, names);
    }
    for (const each of Object.values(node)) namesIn(each, schemas, names);
  }
  return names;
}

function hasDecimals(name: string, schemas: JsonObject): boolean {
  return [name, ...namesIn(schemas[name] ?? {}, schemas)].some(
    (each) => decimalNames(schemas[each]).size > 0,
  );
}

/** Files have no `data`. */
function hasData(operation: JsonObject): boolean {
  const { responses } = operation as {
    responses: {
      200: { content: Record<string, { examples?: { success?: { value: ExactJson } } }> };
    };
  };
  const value = responses[200].content["application/json"]?.examples?.success?.value;
  return value !== undefined && isJsonObject(value) && Object.hasOwn(value, "data");
}

/** Turns the schema of a decimal, or of a number or text, into the schema of a text. */
function withString(schema: JsonObject): JsonObject {
  const { type, format, anyOf, ...rest } = schema;
  const kinds = Array.isArray(anyOf) ? anyOf.filter((each) => isJsonObject(each)) : [];
  const isAmount = kinds.some((each) => each.type === "number");
  if (!isAmount && (type !== "number" || format !== "decimal")) return schema;
  const text = isAmount ? kinds.find((each) => each.type === "string") : {};
  const { examples } = rest;
  const texts = Array.isArray(examples)
    ? examples.map((each) => (each instanceof ExactNumber ? each.text : each))
    : [];
  return { ...text, type: "string", format: "decimal", ...rest, examples: texts };
}
