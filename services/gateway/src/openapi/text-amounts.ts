import {
  type ExactJson,
  ExactNumber,
  exactValue,
  isJsonObject,
  parseExactJson,
} from "@disburse/kernel/exact-json.ts";

type Schema = { readonly [keyword: string]: unknown };

/** Collects the names of decimal fields, including nested ones. */
export function decimalNames(schema: unknown): Set<string> {
  const names = new Set<string>();
  collect(schema, names);
  return names;
}

function collect(schema: unknown, names: Set<string>): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties") {
      for (const [name, its] of Object.entries(value as Schema)) {
        if ((its as Schema).format === "decimal") names.add(name);
      }
    }
    if (keyword !== "examples") collect(value, names);
  }
}

/** Rewrites the decimals of a JSON text as strings of the same digits. */
export function withTextAmounts(body: string, names: ReadonlySet<string>): string {
  return JSON.stringify(exactValue(textAmounts(parseExactJson(body), names)));
}

/** Returns the value with decimals as strings of the same digits. */
export function textAmounts(value: ExactJson, names: ReadonlySet<string>, name = ""): ExactJson {
  if (value instanceof ExactNumber) return names.has(name) ? value.text : value;
  if (Array.isArray(value)) return value.map((each) => textAmounts(each, names, name));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, each]) => [key, textAmounts(each, names, key)]));
}
