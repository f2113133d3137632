import { cryptoBeneficiary } from "./crypto-beneficiary.ts";
import { depositor } from "./depositor.ts";
import { fiatBeneficiary } from "./fiat-beneficiary.ts";
import type { BodyValues, Field, Form, PublicBody } from "./field.ts";
import { executePayout, requestForQuote } from "./transfer.ts";
import { createEndpoint, rotateSecret, updateEndpoint } from "./webhook-endpoint.ts";
import { createReplay } from "./webhook-replay.ts";

/** Every body that a merchant can send, for whatever describes them all. */
export const publicBodies: readonly PublicBody[] = [
  cryptoBeneficiary,
  fiatBeneficiary,
  depositor,
  requestForQuote,
  executePayout,
  createEndpoint,
  updateEndpoint,
  rotateSecret,
  createReplay,
];

/** A body of the form made of the examples in its table, optional fields too. */
export function exampleOf(form: Form): BodyValues {
  const selected = new Map(
    form.selectedBy.flatMap((each) => ("in" in each ? [[each.field, each.in[0] ?? ""]] : [])),
  );
  const values: BodyValues = {};
  for (const field of form.fields) {
    values[field.name] = selected.get(field.name) ?? exampleValue(field);
  }
  return values;
}

function exampleValue(field: Field): BodyValues[string] {
  if (field.kind === "words" || field.kind === "texts") return [...field.example];
  if (field.kind !== "object" && field.kind !== "list") return field.example;
  const values: BodyValues = {};
  for (const each of field.fields) values[each.name] = exampleValue(each);
  return field.kind === "list" ? [values] : values;
}
