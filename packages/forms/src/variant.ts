import type { Condition, TextField } from "./field.ts";

/** The field as it is for a body of which the conditions hold that `holds` says. */
export function variantOf(field: TextField, holds: (condition: Condition) => boolean): TextField {
  const variant = field.variants?.find(({ when }) => holds(when));
  if (variant === undefined) return field;
  const { when: _, ...parts } = variant;
  return { ...field, ...parts };
}
