import type { FormField } from "./form-field.ts";

export type FormValues = Readonly<Record<string, string>>;

/** Returns the text that was entered in a field, or the field's initial value. */
export function fieldValue(field: FormField, values: FormValues): string {
  return values[field.path] ?? field.initial;
}

/**
 * Validates some rules of the fields and returns problems by path. The server validates the
 * remaining rules.
 */
export function formProblems(
  fields: readonly FormField[],
  values: FormValues,
  words: { readonly required: string; readonly format: string },
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const field of fields) {
    const value = fieldValue(field, values).trim();
    if (value === "") {
      const isWaived = values[field.requiredUnless ?? ""] === "true";
      if (field.isRequired && !isWaived) found[field.path] = words.required;
      continue;
    }
    if (field.pattern !== undefined && !new RegExp(field.pattern, "u").test(value)) {
      found[field.path] = field.patternMessage ?? words.format;
    }
  }
  return found;
}

/**
 * Builds a request body from a form. Omits empty fields, and creates objects and lists from the
 * paths of fields.
 */
export function bodyOf(fields: readonly FormField[], values: FormValues): object {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const value = fieldValue(field, values).trim();
    if (value !== "") put(body, field.path, field.type === "flag" ? value === "true" : value);
  }
  return body;
}

/** Sets a value at a path such as `owners[0].name`. */
function put(body: Record<string, unknown>, path: string, value: string | boolean): void {
  const steps = path.split(/[.[\]]/).filter((step) => step !== "");
  const last = steps.pop() ?? "";
  let at: Record<string, unknown> = body;
  for (const [index, step] of steps.entries()) {
    const isList = /^\d+$/.test(steps[index + 1] ?? "");
    at[step] ??= isList ? [] : {};
    at = at[step] as Record<string, unknown>;
  }
  at[last] = value;
}
