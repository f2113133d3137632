import { create } from "@bufbuild/protobuf";
import {
  type BeneficiaryForm as BeneficiaryFormMessage,
  BeneficiaryFormSchema,
  type ListBeneficiaryFormsRequest,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_forms_pb.ts";
import type { BeneficiaryForm, FormChoice } from "@disburse/forms/discovery.ts";

/** What the forms are narrowed to: what was not sent narrows nothing. */
export function formChoice(request: ListBeneficiaryFormsRequest): FormChoice {
  const { destinationCurrency, transferType, accountType } = request;
  return {
    ...(destinationCurrency === "" ? {} : { destinationCurrency }),
    ...(transferType === "" ? {} : { transferType }),
    ...(accountType === "" ? {} : { accountType }),
  };
}

/** A form as other services read it. */
export function formMessage(form: BeneficiaryForm): BeneficiaryFormMessage {
  return create(BeneficiaryFormSchema, {
    name: form.name,
    description: form.description,
    body: form.body,
    destinationCurrency: form.destinationCurrency,
    transferType: form.transferType,
    accountType: form.accountType,
    fields: form.fields.map((field) => ({
      name: field.name,
      type: field.kind,
      required: field.required,
      description: field.description,
      maxLength: field.maxLength,
      allowedValues: [...(field.allowed ?? [])],
      pattern: field.pattern?.source ?? field.shape ?? "",
      patternMessage: field.pattern?.problem ?? "",
      defaultValue: field.default ?? "",
      example: field.example,
    })),
    rules: [...form.rules],
  });
}
