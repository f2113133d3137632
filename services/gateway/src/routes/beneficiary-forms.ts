import type {
  BeneficiaryForm,
  FormField,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_forms_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { readQuery } from "../domain/list-query.ts";
import { createCryptoEndpoint, createFiatEndpoint } from "../reference/beneficiaries.ts";
import { listFormsEndpoint, listFormsQuery } from "../reference/beneficiary-forms.ts";
import type { Operation } from "./operation.ts";

function formFieldData(field: FormField) {
  const { allowedValues, pattern, patternMessage, defaultValue } = field;
  return {
    name: field.name,
    type: field.type,
    required: field.required,
    description: field.description,
    max_length: field.maxLength,
    ...(allowedValues.length === 0 ? {} : { allowed_values: allowedValues }),
    ...(pattern === "" ? {} : { pattern }),
    ...(patternMessage === "" ? {} : { pattern_message: patternMessage }),
    ...(defaultValue === "" ? {} : { default: defaultValue }),
    example: field.example,
  };
}

/** What to ask for, for one kind of beneficiary, and where to post it. */
function formData(form: BeneficiaryForm) {
  const { path } = form.body === "crypto" ? createCryptoEndpoint : createFiatEndpoint;
  return {
    name: form.name,
    description: form.description,
    beneficiary_type: form.body,
    path,
    destination_currency: form.destinationCurrency,
    transfer_type: form.transferType,
    beneficiary_account_type: form.accountType,
    fields: form.fields.map(formFieldData),
    rules: form.rules,
  };
}

/** Which fields a front end asks for. */
export function beneficiaryFormOperations({
  beneficiary: service,
}: Pick<Clients, "beneficiary">): readonly Operation[] {
  return [
    {
      ...listFormsEndpoint,
      answer: async ({ query }) => {
        const asked = readQuery(query, listFormsQuery);
        if (isRefused(asked)) return asked;
        const { forms } = await service.listBeneficiaryForms({
          destinationCurrency: asked.destination_currency ?? "",
          transferType: asked.transfer_type ?? "",
          accountType: asked.account_type ?? "",
        });
        return { forms: forms.map(formData) };
      },
    },
  ];
}
