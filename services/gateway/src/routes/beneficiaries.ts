import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ArchivedFilter,
  type Beneficiary,
  BeneficiaryKind,
  CryptoBeneficiaryFieldsSchema,
  FiatBeneficiaryFieldsSchema,
  ListBeneficiariesRequestSchema,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { cryptoBeneficiary } from "@disburse/forms/crypto-beneficiary.ts";
import { fiatBeneficiary } from "@disburse/forms/fiat-beneficiary.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { readQuery } from "../domain/list-query.ts";
import {
  archiveBeneficiaryEndpoint,
  createBeneficiaryQuery,
  createCryptoEndpoint,
  createFiatEndpoint,
  getBeneficiaryEndpoint,
  listBeneficiariesEndpoint,
  listBeneficiariesQuery,
} from "../reference/beneficiaries.ts";
import { readMessage } from "./body.ts";
import { type Call, type Operation, param } from "./operation.ts";
import { messageFields, pageMetaData, present, wireTime } from "./wire.ts";
import { beneficiaryKinds, screeningStatuses } from "./words.ts";

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
    beneficiary_type: beneficiaryKinds[beneficiary.kind],
    beneficiary_name: beneficiary.name,
    beneficiary_account_number: beneficiary.accountNumberMasked,
    transfer_method: beneficiary.transferMethod,
    screening_status: screeningStatuses[beneficiary.screeningStatus],
    archived: beneficiary.archived,
    created_at: wireTime(beneficiary.createdAt),
    updated_at: wireTime(beneficiary.updatedAt),
  };
}

/** Whether a body is only to be checked. */
const isValidation = (query: URLSearchParams) => query.get("validate") === "true";

/** The list's request out of its query. */
function listRequest({ merchantId, query }: Call) {
  const asked = readQuery(query, listBeneficiariesQuery);
  if (isRefused(asked)) return asked;
  const request = create(ListBeneficiariesRequestSchema, {
    merchantId,
    limit: asked.limit ?? 0,
    cursor: asked.cursor ?? "",
    kind: asked.beneficiary_type ?? BeneficiaryKind.UNSPECIFIED,
    accountType: asked.beneficiary_account_type ?? "",
    destinationCurrency: asked.destination_currency ?? "",
    screeningStatus: asked.screening_status ?? ScreeningStatus.UNSPECIFIED,
    archived: asked.archived ?? ArchivedFilter.UNSPECIFIED,
  });
  if (asked.created_from) request.createdFrom = timestampFromDate(asked.created_from);
  if (asked.created_to) request.createdTo = timestampFromDate(asked.created_to);
  return request;
}

/** Registering a recipient, or only checking what would register it. */
function creations({ beneficiary: service }: Pick<Clients, "beneficiary">): readonly Operation[] {
  return [
    {
      ...createCryptoEndpoint,
      hasEffect: (query) => !isValidation(query),
      answer: async ({ merchantId, mutation, body, query }) => {
        const asked = readQuery(query, createBeneficiaryQuery);
        if (isRefused(asked)) return asked;
        const { validate: validateOnly = false } = asked;
        const read = readMessage(cryptoBeneficiary, CryptoBeneficiaryFieldsSchema, body);
        const { message: fields, unreadable } = read;
        const request = { mutation, merchantId, fields, unreadable, validateOnly };
        const { beneficiaryId } = await service.createCryptoBeneficiary(request);
        return validateOnly ? { valid: true } : { beneficiary_id: beneficiaryId };
      },
    },
    {
      ...createFiatEndpoint,
      hasEffect: (query) => !isValidation(query),
      answer: async ({ merchantId, mutation, body, query }) => {
        const asked = readQuery(query, createBeneficiaryQuery);
        if (isRefused(asked)) return asked;
        const { validate: validateOnly = false } = asked;
        const read = readMessage(fiatBeneficiary, FiatBeneficiaryFieldsSchema, body);
        const { message: fields, unreadable } = read;
        const request = { mutation, merchantId, fields, unreadable, validateOnly };
        const { beneficiaryId } = await service.createFiatBeneficiary(request);
        return validateOnly ? { valid: true } : { beneficiary_id: beneficiaryId };
      },
    },
  ];
}

/** Recipients: registering, listing, reading and archiving them. */
export function beneficiaryOperations(clients: Pick<Clients, "beneficiary">): readonly Operation[] {
  const service = clients.beneficiary;
  return [
    ...creations(clients),
    {
      ...listBeneficiariesEndpoint,
      answer: async (call) => {
        const request = listRequest(call);
        if (isRefused(request)) return request;
        const reply = await service.listBeneficiaries(request);
        const beneficiaries = reply.beneficiaries.map(beneficiaryData);
        return { beneficiaries, meta_data: pageMetaData(reply) };
      },
    },
    {
      ...getBeneficiaryEndpoint,
      answer: async (call) => {
        const beneficiaryId = param(call, "beneficiaryId");
        const reply = await service.getBeneficiary({ merchantId: call.merchantId, beneficiaryId });
        return beneficiaryData(present(reply.beneficiary));
      },
    },
    {
      ...archiveBeneficiaryEndpoint,
      answer: async (call) => {
        const { merchantId, mutation } = call;
        const beneficiaryId = param(call, "beneficiaryId");
        const reply = await service.archiveBeneficiary({ merchantId, mutation, beneficiaryId });
        return beneficiaryData(present(reply.beneficiary));
      },
    },
  ];
}
