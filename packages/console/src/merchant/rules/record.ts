import { labelOf } from "../forms/field-label.ts";

/** Converts a record to pairs of a field name and a text. Omits empty fields. */
export function recordRows(record: object, hidden: readonly string[] = []): [string, string][] {
  return Object.entries(record).flatMap(([name, value]) =>
    hidden.includes(name) ? [] : rowsOf(labelOf(name), value),
  );
}

function rowsOf(label: string, value: unknown): [string, string][] {
  if (typeof value === "string") return value === "" ? [] : [[label, value]];
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => rowsOf(`${label} ${index + 1}`, each));
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    rowsOf(`${label}, ${labelOf(name).toLocaleLowerCase("en")}`, each),
  );
}
