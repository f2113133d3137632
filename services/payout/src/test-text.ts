import { Binary, Decimal128 } from "mongodb";

/** A stored value as one line for a snapshot, whole but for the content of events. */
export function textOf(value: unknown, time: (at: Date) => string): string {
  const inner = (each: unknown) => textOf(each, time);
  if (value instanceof Date) return time(value);
  if (value instanceof Binary) return "…";
  if (value instanceof Decimal128 || typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(inner).join(", ")}]`;
  const fields = Object.entries(value ?? {}).map(([name, each]) => `${name} ${inner(each)}`);
  return `{ ${fields.join(", ")} }`;
}
