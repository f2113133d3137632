import type { Condition } from "./field.ts";

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
