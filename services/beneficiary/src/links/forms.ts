import { needsLatinName } from "@disburse/forms/bodies/carried.ts";
import { type BeneficiaryForm, beneficiaryForms } from "@disburse/forms/describe/discovery.ts";
import type { CheckContext } from "@disburse/forms/fields/field.ts";
import type { Violation } from "@disburse/kernel/refusal.ts";
import { type Fields, textOf } from "../records/rules/private-fields.ts";
import { latinName, nameFields, prefilledOf } from "./rules/link.ts";

type Allowed = NonNullable<CheckContext["allowed"]>;

/**
 * Returns the forms that match the merchant's choices and have every name that it set, or none if
 * no form matches.
 */
export function formsOf(link: Fields, allowed: Allowed): BeneficiaryForm[] {
  const network = textOf(link, "network");
  const networks = allowed.routing_code_value_1?.filter((each) => each === network) ?? [];
  if (network !== "" && networks.length === 0) return [];
  const choice = {
    destinationCurrency: textOf(link, "destination_currency"),
    ...optional("transferType", textOf(link, "transfer_type")),
    ...optional("accountType", textOf(link, "beneficiary_account_type")),
  };
  const within = network === "" ? allowed : { ...allowed, routing_code_value_1: networks };
  return beneficiaryForms(choice, within)
    .filter(({ body }) => network === "" || body === "crypto")
    .flatMap((form) => withLockedNames(form, link) ?? []);
}

/**
 * Returns the form that the payee fills in, or `undefined` if it lacks a name field that the
 * merchant set. If the merchant set a name, the payee can't enter a Latin name, because the bank
 * would receive it instead of the merchant's.
 */
function withLockedNames(form: BeneficiaryForm, link: Fields): BeneficiaryForm | undefined {
  const set = Object.keys(prefilledOf(link));
  if (set.length === 0) return form;
  if (!set.every((name) => hasField(form, name))) return undefined;
  const fields = form.fields.filter(({ name }) => name !== latinName || set.includes(name));
  return { ...form, fields };
}

function hasField({ fields }: Pick<BeneficiaryForm, "fields">, wanted: string): boolean {
  return fields.some(({ name }) => name === wanted);
}

/** Returns a violation if a bank can't carry the merchant's name and no Latin name is set. */
export function latinViolations(link: Fields, forms: readonly BeneficiaryForm[]): Violation[] {
  const name = nameFields.map((each) => textOf(link, each)).join(" ");
  const isCarried = name.trim() === "" || textOf(link, latinName) !== "" || !needsLatinName(name);
  if (isCarried || forms.every(({ body }) => body !== "fiat")) return [];
  const problem = "is required with a bank account, as the name is in another script";
  return [{ field: latinName, problem }];
}

/**
 * Reports a missing Latin name at the part of the name that the payee entered, if the form has no
 * field for it.
 */
export function shownViolation(
  violation: Violation,
  form: BeneficiaryForm,
  link: Fields,
): Violation {
  const entered = nameFields.find((name) => hasField(form, name) && textOf(link, name) === "");
  if (violation.field !== latinName || hasField(form, latinName) || entered === undefined) {
    return violation;
  }
  return { field: entered, problem: "must be in Latin, Greek or Cyrillic letters" };
}

function optional<Name extends string>(name: Name, value: string) {
  return (value === "" ? {} : { [name]: value }) as { readonly [its in Name]?: string };
}

/**
 * Builds a beneficiary's body from the form's fields. If the form allows only one value for a
 * field, that value is used. Otherwise the merchant's value is used, and then the entered one.
 * Other entered fields are dropped.
 */
export function bodyOfSubmission(
  form: BeneficiaryForm,
  link: Fields,
  values: Readonly<Record<string, string>>,
): Fields {
  const prefilled = prefilledOf(link);
  const fields = form.fields.map(({ name, allowed = [] }) => {
    const [only] = allowed.length === 1 ? allowed : [];
    return [name, only ?? prefilled[name] ?? (values[name] ?? "").trim()] as const;
  });
  const entered = fields.filter(([, value]) => value !== "");
  const flags = form.fields.flatMap(({ name, requiredUnless = "" }) =>
    prefilled[name] === undefined && values[requiredUnless] === "true"
      ? [[requiredUnless, true] as const]
      : [],
  );
  const { metadata } = link;
  const body: Fields = Object.fromEntries([...entered, ...flags]);
  return metadata === undefined ? body : { ...body, metadata };
}
