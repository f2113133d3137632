import { create, fromJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  BeneficiaryKind,
  type Beneficiary as BeneficiaryMessage,
  BeneficiarySchema,
  CryptoBeneficiaryFieldsSchema,
  DepositorFieldsSchema,
  type Depositor as DepositorMessage,
  DepositorSchema,
  DepositorStatus,
  FiatBeneficiaryFieldsSchema,
  type GetPaymentInstructionResponse,
  GetPaymentInstructionResponseSchema,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { Beneficiary } from "./domain/beneficiary.ts";
import type { Depositor } from "./domain/depositor.ts";
import { textOf } from "./domain/private-fields.ts";
import type { ScreeningStatus as Status } from "./domain/screening.ts";
import type { Opened } from "./record-store.ts";

const screeningStatuses: Readonly<Record<Status, ScreeningStatus>> = {
  pending: ScreeningStatus.PENDING,
  cleared: ScreeningStatus.CLEARED,
  review: ScreeningStatus.REVIEW,
  blocked: ScreeningStatus.BLOCKED,
};

const depositorStatuses: Readonly<Record<Status, DepositorStatus>> = {
  pending: DepositorStatus.PENDING,
  cleared: DepositorStatus.WHITELISTED,
  review: DepositorStatus.REVIEW,
  blocked: DepositorStatus.REJECTED,
};

/** A beneficiary as other services read it. */
export function beneficiaryMessage(beneficiary: Beneficiary): BeneficiaryMessage {
  const { kind, accountNumberMasked, createdAt, updatedAt } = beneficiary;
  const fields = { ...beneficiary.fields, beneficiary_account_number: accountNumberMasked };
  return create(BeneficiarySchema, {
    id: beneficiary.id,
    merchantId: beneficiary.merchantId,
    kind: kind === "crypto" ? BeneficiaryKind.CRYPTO : BeneficiaryKind.FIAT,
    name: beneficiary.name,
    accountType: beneficiary.accountType,
    destinationCurrency: beneficiary.destinationCurrency,
    transferMethod: beneficiary.transferMethod,
    network: beneficiary.network,
    accountNumberMasked,
    screeningStatus: screeningStatuses[beneficiary.screening.status],
    archived: beneficiary.archived,
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
    fields:
      kind === "crypto"
        ? { case: "crypto", value: fromJson(CryptoBeneficiaryFieldsSchema, fields) }
        : { case: "fiat", value: fromJson(FiatBeneficiaryFieldsSchema, fields) },
  });
}

/** A depositor as other services read it. */
export function depositorMessage(depositor: Depositor): DepositorMessage {
  return create(DepositorSchema, {
    id: depositor.id,
    merchantId: depositor.merchantId,
    status: depositorStatuses[depositor.screening.status],
    fields: fromJson(DepositorFieldsSchema, depositor.fields),
    createdAt: timestampFromDate(depositor.createdAt),
    updatedAt: timestampFromDate(depositor.updatedAt),
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
    screeningStatus: screeningStatuses[record.screening.status],
  });
}
