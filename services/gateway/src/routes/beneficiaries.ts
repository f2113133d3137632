import {
  type Beneficiary,
  BeneficiaryKind,
  CryptoBeneficiaryFieldsSchema,
  FiatBeneficiaryFieldsSchema,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/crypto-beneficiary.ts";
import { fiatBeneficiary } from "@disburse/forms/fiat-beneficiary.ts";
import type { Clients } from "../clients.ts";
import { readMessage } from "./body.ts";
import { type Operation, param } from "./operation.ts";
import { messageFields, present, wireTime } from "./wire.ts";

const kinds: Readonly<Record<BeneficiaryKind, string>> = {
  [BeneficiaryKind.UNSPECIFIED]: "",
  [BeneficiaryKind.CRYPTO]: "crypto",
  [BeneficiaryKind.FIAT]: "fiat",
};

const screeningStatuses: Readonly<Record<ScreeningStatus, string>> = {
  [ScreeningStatus.UNSPECIFIED]: "",
  [ScreeningStatus.PENDING]: "pending",
  [ScreeningStatus.CLEARED]: "cleared",
  [ScreeningStatus.REVIEW]: "review",
  [ScreeningStatus.BLOCKED]: "blocked",
};

/**
 * The fields of the body as they are stored: masked by their owner; those that are empty left out.
 */
function storedFields({ fields }: Beneficiary): object {
  if (fields.case === "crypto") return messageFields(CryptoBeneficiaryFieldsSchema, fields.value);
  if (fields.case === "fiat") return messageFields(FiatBeneficiaryFieldsSchema, fields.value);
  return {};
}

/** A stored beneficiary (decisions §3). */
export function beneficiaryData(beneficiary: Beneficiary) {
  return {
    ...storedFields(beneficiary),
    beneficiary_id: beneficiary.id,
    beneficiary_type: kinds[beneficiary.kind],
    beneficiary_name: beneficiary.name,
    beneficiary_account_number: beneficiary.accountNumberMasked,
    transfer_method: beneficiary.transferMethod,
    screening_status: screeningStatuses[beneficiary.screeningStatus],
    archived: beneficiary.archived,
    created_at: wireTime(beneficiary.createdAt),
    updated_at: wireTime(beneficiary.updatedAt),
  };
}

/** Registering recipients, and reading them. */
export function beneficiaryOperations(clients: Pick<Clients, "beneficiary">): readonly Operation[] {
  const service = clients.beneficiary;
  return [
    {
      method: "POST",
      path: "/api/v1/transfer/crypto/beneficiary",
      scope: "beneficiary:write",
      body: "required",
      answer: async ({ merchantId, mutation, body }) => {
        const read = readMessage(cryptoBeneficiary, CryptoBeneficiaryFieldsSchema, body);
        const { message: fields, unreadable } = read;
        const asked = { mutation, merchantId, fields, unreadable };
        return { beneficiary_id: (await service.createCryptoBeneficiary(asked)).beneficiaryId };
      },
    },
    {
      method: "POST",
      path: "/api/v1/transfer/fiat/beneficiary",
      scope: "beneficiary:write",
      body: "required",
      answer: async ({ merchantId, mutation, body }) => {
        const read = readMessage(fiatBeneficiary, FiatBeneficiaryFieldsSchema, body);
        const { message: fields, unreadable } = read;
        const asked = { mutation, merchantId, fields, unreadable };
        return { beneficiary_id: (await service.createFiatBeneficiary(asked)).beneficiaryId };
      },
    },
    {
      method: "GET",
      path: "/api/v1/transfer/beneficiaries/:beneficiaryId",
      scope: "beneficiary:read",
      answer: async (call) => {
        const beneficiaryId = param(call, "beneficiaryId");
        const reply = await service.getBeneficiary({ merchantId: call.merchantId, beneficiaryId });
        return beneficiaryData(present(reply.beneficiary));
      },
    },
  ];
}
