import { type BeneficiaryForm, beneficiaryForms } from "@disburse/forms/describe/discovery.ts";
import type { CheckContext } from "@disburse/forms/fields/field.ts";
import { type Fields, textOf } from "../records/rules/private-fields.ts";
import { prefilledOf } from "./rules/link.ts";

type Allowed = NonNullable<CheckContext["allowed"]>;

/** Returns the forms that match the merchant's choices, or none if no form matches. */
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
  const forms = beneficiaryForms(choice, within);
  return network === "" ? forms : forms.filter(({ body }) => body === "crypto");
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
  const flags = form.fields.flatMap(({ requiredUnless = "" }) =>
    values[requiredUnless] === "true" ? [[requiredUnless, true] as const] : [],
  );
  const { metadata } = link;
  const body: Fields = Object.fromEntries([...entered, ...flags]);
  return metadata === undefined ? body : { ...body, metadata };
}
