import type { Condition, TextField } from "./field.ts";
import { lengths } from "./lengths.ts";

/** Parts of a text field beside its name, description and example. */
type More = Partial<Omit<TextField, "name" | "description" | "example">>;

/** A required line of free text, unless `more` says otherwise. */
export function textField(
  name: string,
  description: string,
  example: string,
  more: More = {},
): TextField {
  const line = { kind: "text", required: true, maxLength: lengths.line } as const;
  return { name, description, example, ...line, ...more };
}

/** A required text out of a closed set. */
export function choiceField(
  name: string,
  description: string,
  allowed: readonly [string, ...string[]],
): TextField {
  return textField(name, description, allowed[0], { allowed });
}

/** A required ISO 3166-1 alpha-2 code. */
export function countryField(name: string, description: string, example = "US"): TextField {
  const country = { kind: "country", maxLength: lengths.country } as const;
  return textField(name, description, example, country);
}

/** A required calendar day that is not in the future. */
export function dateField(name: string, description: string, example: string): TextField {
  const past = `${description} Not in the future.`;
  return textField(name, past, example, { kind: "date", maxLength: lengths.date });
}

/** Digits of E.164 telephone numbers, optional. */
export function digitsField(
  name: string,
  description: string,
  example: string,
  maxLength: number,
): TextField {
  return textField(name, description, example, { kind: "digits", required: false, maxLength });
}

/** An optional e-mail address. */
export function emailField(name: string, description: string): TextField {
  const email = { kind: "email", required: false, maxLength: lengths.email } as const;
  return textField(name, description, "jane.doe@example.com", email);
}

/** The same entries, with other examples by name. */
export function withExamples(
  fields: readonly TextField[],
  examples: Readonly<Record<string, string>>,
): readonly TextField[] {
  return fields.map((field) => ({ ...field, example: examples[field.name] ?? field.example }));
}

/** The same entry, in bodies where the condition holds and ignored in others. */
export function onlyWhen(when: Condition, field: TextField): TextField {
  return { ...field, when };
}

/** Letters and digits of ASCII: account numbers. */
export const alphanumeric = {
  source: "^[A-Za-z0-9]+$",
  problem: "must contain letters and digits only",
} as const;

/**
 * Letters and digits of any script, single separators between them: numbers of documents are
 * printed with hyphens, slashes, points and spaces (`12-3456789`), and merchants copy them as
 * printed.
 */
export const documentNumber = {
  source: "^[\\p{L}\\p{M}\\p{N}]+(?:[-/. ][\\p{L}\\p{M}\\p{N}]+)*$",
  problem: "must contain letters and digits, with single separators between them",
} as const;
