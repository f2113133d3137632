import { getBy, setBy } from "@tanstack/react-form";
import { compact, compactIban } from "../../rules/country.ts";
import type { FormField } from "./form-field.ts";

/** Texts, in objects and lists as the body has them. */
export type FormValues = Readonly<Record<string, unknown>>;

/** Returns the text that was entered in a field, or the field's initial value. */
function fieldValue(field: FormField, values: FormValues): string {
  return getBy(values, field.path) ?? field.initial;
}

export const isBic = (path: string) => path === "bic" || path.startsWith("routing_code_value_");

/** Returns a field's text as it is sent: an IBAN or bank code without blanks and in capitals. */
function sentValue(field: FormField, values: FormValues): string {
  const value = fieldValue(field, values).trim();
  if (field.choices !== undefined) return value;
  if (field.path === "iban" || isBic(field.path)) return compact(value);
  return field.path === "beneficiary_account_number" ? compactIban(value) : value;
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
  let body: object = {};
  for (const field of fields) {
    const value = sentValue(field, values);
    if (value === "") continue;
    body = setBy(withLists(body, field.path), field.path, sentAs(field.type, value));
  }
  return body;
}

function sentAs(type: FormField["type"], value: string) {
  if (type === "flag") return value === "true";
  return type === "words" ? value.split(/\s+/) : value;
}

/** Adds the lists of a path that a body doesn't have. `setBy` would create objects. */
function withLists(body: object, path: string): object {
  const lists = [...path.matchAll(/\[/g)].map(({ index }) => path.slice(0, index));
  return lists.reduce((made, list) => (getBy(made, list) ? made : setBy(made, list, [])), body);
}
