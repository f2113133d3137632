import { bankCountry, compact, compactIban } from "../../rules/country.ts";
import type { FormField } from "./form-field.ts";

export type FormValues = Readonly<Record<string, string>>;

/** Returns the text that was entered in a field, or the field's initial value. */
export function fieldValue(field: FormField, values: FormValues): string {
  return values[field.path] ?? field.initial;
}

const isBic = (path: string) => path === "bic" || path.startsWith("routing_code_value_");

/** Returns a field's text as it is sent: an IBAN or bank code without blanks and in capitals. */
function sentValue(field: FormField, values: FormValues): string {
  const value = fieldValue(field, values).trim();
  if (field.choices !== undefined) return value;
  if (field.path === "iban" || isBic(field.path)) return compact(value);
  return field.path === "beneficiary_account_number" ? compactIban(value) : value;
}

/** Returns the country of the bank that a form's BIC names; "" without one. */
export function bankOf(values: FormValues): string {
  const bics = Object.entries(values).filter(([path]) => isBic(path));
  return bics.map(([, bic]) => bankCountry(bic)).find((country) => country !== "") ?? "";
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
    const value = sentValue(field, values);
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
    const value = sentValue(field, values);
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
