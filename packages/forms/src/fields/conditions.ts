import { cleanText } from "@disburse/kernel/text.ts";
import type { BodyValues, Condition, TextField } from "./field.ts";

/** Whether a condition holds for a body; a field that could not be read was sent all the same. */
export function conditionHolds(
  condition: Condition,
  values: BodyValues,
  unreadable: ReadonlyMap<string, string> = new Map(),
): boolean {
  const text = textOf(values, condition.field);
  if ("in" in condition) return condition.in.includes(text);
  if ("notIn" in condition) return !condition.notIn.includes(text);
  return text === "" && !unreadable.has(condition.field);
}

/** A top-level text of a body, cleaned; `""` where it was not sent. */
export function textOf(values: BodyValues, field: string): string {
  const value = values[field];
  return typeof value === "string" ? cleanText(value) : "";
}

/** The field as it is for a body of which the conditions hold that `holds` says. */
export function variantOf(field: TextField, holds: (condition: Condition) => boolean): TextField {
  const variant = field.variants?.find(({ when }) => holds(when));
  if (variant === undefined) return field;
  const { when: _, ...parts } = variant;
  return { ...field, ...parts };
}

/** What is known of a body before it is filled in: per field, the values that it may still have. */
export type Known = ReadonlyMap<string, readonly string[]>;

/** Whether a condition holds for every body that is possible, for none, or only for some. */
export function decide(condition: Condition, known: Known): boolean | "open" {
  const values = known.get(condition.field);
  if (values === undefined || "absent" in condition) return "open";
  const listed = new Set("in" in condition ? condition.in : condition.notIn);
  const hits = values.filter((value) => listed.has(value)).length;
  if (hits > 0 && hits < values.length) return "open";
  return hits > 0 === "in" in condition;
}
