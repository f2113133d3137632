import {
  type BodyValues,
  conditionHolds,
  type Field,
  type Form,
  type PublicBody,
} from "../fields/field.ts";
import { type BeneficiaryForm, beneficiaryForms, bodyOf } from "./discovery.ts";
import { selectedValues } from "./json-schema.ts";

/**
 * Builds a body from the examples in its table. Includes optional fields, but for rare ones and
 * flags that are not set.
 */
export function exampleOf(form: Form): BodyValues {
  const selected = selectedValues(form);
  return valuesOf(form.fields, (field) => selected.get(field.name)?.[0] ?? exampleValue(field));
}

function valuesOf(
  fields: readonly Field[],
  read: (field: Field) => BodyValues[string],
): BodyValues {
  const values: BodyValues = {};
  for (const field of fields) {
    if (field.rare === true || (field.kind === "flag" && !field.example)) continue;
    values[field.name] = read(field);
  }
  return values;
}

function exampleValue(field: Field): BodyValues[string] {
  if (field.kind === "texts") return [...field.example];
  if (field.kind === "pairs") return { ...field.example };
  if (field.kind !== "object" && field.kind !== "list") return field.example;
  const values = valuesOf(field.fields, exampleValue);
  return field.kind === "list" ? [withoutExcluded(field.fields, values)] : values;
}

/** Removes the fields whose condition does not hold. */
function withoutExcluded(fields: readonly Field[], values: BodyValues): BodyValues {
  const sent = fields.filter(({ when }) => when === undefined || conditionHolds(when, values));
  const known = sent.flatMap(({ name }) => {
    const value = values[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(known);
}

/**
 * Returns valid bodies by name, for documents. Beneficiaries have one for each network or transfer
 * type, and one company for each form. Other bodies have one for each form.
 */
export function bodyExamples(body: PublicBody): ReadonlyMap<string, BodyValues> {
  const beneficiaries = beneficiaryForms({}).filter((form) => bodyOf(form) === body);
  const examples = new Map<string, BodyValues>();
  for (const form of beneficiaries) {
    const name = exampleName(form);
    if (!examples.has(name)) examples.set(name, formExample(form));
  }
  if (examples.size > 0) return examples;
  return new Map(
    body.forms.map((form) => [form.name, withoutExcluded(form.fields, exampleOf(form))]),
  );
}

function formExample({ fields }: BeneficiaryForm): BodyValues {
  return Object.fromEntries(fields.map(({ name, example }) => [name, example]));
}

function exampleName(form: BeneficiaryForm): string {
  const { name, accountType, transferType } = form;
  const network = form.fields.find((field) => field.name === "routing_code_value_1")?.example ?? "";
  const method = transferType === "" ? network : transferType;
  const who = name.endsWith(accountType.toLowerCase()) ? name : `${name}_${accountType}`;
  return (accountType === "Corporate" ? who : `${who}_${method}`).toLowerCase();
}
