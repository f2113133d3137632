import { create, fromJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { valueOfWord } from "@disburse/chassis/rpc/enum-words.ts";
import {
  type BeneficiaryForm as BeneficiaryFormMessage,
  BeneficiaryFormSchema,
  type ListBeneficiaryFormsRequest,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_forms_pb.ts";
import {
  ArchivedFilter,
  BeneficiaryKind,
  type Beneficiary as BeneficiaryMessage,
  BeneficiarySchema,
  CryptoBeneficiaryFieldsSchema,
  FiatBeneficiaryFieldsSchema,
  type GetPaymentInstructionResponse,
  GetPaymentInstructionResponseSchema,
  type ListBeneficiariesRequest,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { BeneficiaryForm, FormChoice } from "@disburse/forms/describe/discovery.ts";
import { partyType, readFilter, type Wanted, wantedWord } from "../records/list-request.ts";
import { textOf } from "../records/rules/private-fields.ts";
import type { Opened } from "../records/store.ts";
import type { Beneficiary } from "./rules/beneficiary.ts";

/** A beneficiary as other services read it. */
export function beneficiaryMessage(beneficiary: Beneficiary): BeneficiaryMessage {
  const { kind, accountNumberMasked, createdAt, updatedAt } = beneficiary;
  const fields = { ...beneficiary.fields, beneficiary_account_number: accountNumberMasked };
  return create(BeneficiarySchema, {
    ...beneficiary,
    kind: valueOfWord(BeneficiaryKind, kind),
    screeningStatus: valueOfWord(ScreeningStatus, beneficiary.screening.status),
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
    fields:
      kind === "crypto"
        ? { case: "crypto", value: fromJson(CryptoBeneficiaryFieldsSchema, fields) }
        : { case: "fiat", value: fromJson(FiatBeneficiaryFieldsSchema, fields) },
  });
}

/** What a rail needs to pay a beneficiary. */
export function paymentInstruction(opened: Opened<Beneficiary>): GetPaymentInstructionResponse {
  const { record, whole } = opened;
  return create(GetPaymentInstructionResponseSchema, {
    beneficiaryName: record.name,
    accountNumber: textOf(whole, "beneficiary_account_number"),
    destinationCurrency: record.destinationCurrency,
    transferMethod: record.transferMethod,
    network: record.network,
    routingCodeType1: textOf(whole, "routing_code_type_1"),
    routingCodeValue1: textOf(whole, "routing_code_value_1"),
    destinationCountry: textOf(whole, "destination_country"),
    screeningStatus: valueOfWord(ScreeningStatus, record.screening.status),
  });
}

const wantedArchived: Readonly<Record<ArchivedFilter, Wanted<boolean>>> = {
  [ArchivedFilter.UNSPECIFIED]: false,
  [ArchivedFilter.EXCLUDED]: false,
  [ArchivedFilter.ONLY]: true,
  [ArchivedFilter.ANY]: null,
};

/** What a list of beneficiaries is narrowed to. */
export function readBeneficiaryFilter(message: ListBeneficiariesRequest) {
  return readFilter(message, [
    ["kind", "kind", wantedWord(BeneficiaryKind, message.kind)],
    ["account_type", "account_type", partyType(message.accountType)],
    ["destination_currency", "destination_currency", message.destinationCurrency || null],
    ["screening_status", "screening.status", wantedWord(ScreeningStatus, message.screeningStatus)],
    ["archived", "archived", wantedArchived[message.archived]],
  ]);
}

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
    ...form,
    fields: form.fields.map((field) => ({
      ...field,
      type: field.kind,
      allowedValues: [...(field.allowed ?? [])],
      pattern: field.pattern?.source ?? field.shape ?? "",
      patternMessage: field.pattern?.problem ?? "",
      defaultValue: field.default ?? "",
    })),
    rules: [...form.rules],
  });
}
