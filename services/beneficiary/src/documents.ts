import { callContext } from "@disburse/chassis/call-context.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type { AccountType, Beneficiary, NewBeneficiary } from "./domain/beneficiary.ts";
import { type Depositor, isShown, type NewDepositor } from "./domain/depositor.ts";
import { type Fields, joinPrivate, splitPrivate } from "./domain/private-fields.ts";
import type { Screening } from "./domain/screening.ts";

/** Which change a document last saw, for the audit trail and for repeats. */
export type Change = { readonly operationId: string; readonly actor: StoredActor };

type ScreeningDocument =
  | { status: "pending"; attempts: number; next_at: Date }
  | { status: "cleared" | "review" | "blocked"; screening_id: string; screened_at: Date };

/**
 * What beneficiaries and depositors have in common: a body that is partly sealed, and a screening.
 */
export type RecordDocument = {
  _id: string;
  schema_version: number;
  merchant_id: string;
  operation_id: string;
  actor: StoredActor;
  /** The merchant's request that made it, for the log of screenings that come later. */
  request_id?: string;
  /** The public body without its private fields. */
  fields: Fields;
  /** The private fields by their path, each sealed for its own place. */
  sealed: { field: string; text: string }[];
  /** Of the wallet, made before the record was stored; `""` where there is no wallet. */
  wallet_screening_id: string;
  screening: ScreeningDocument;
  created_at: Date;
  updated_at: Date;
};

export type BeneficiaryDocument = RecordDocument & {
  kind: Beneficiary["kind"];
  name: string;
  account_type: AccountType;
  destination_currency: string;
  transfer_method: Beneficiary["transferMethod"];
  network: string;
  account_number_masked: string;
  archived: boolean;
  /** Who archived it, and when; of an archived one alone. */
  archiving?: { at: Date; operation_id: string; actor: StoredActor };
};

export type MerchantSettingsDocument = {
  /** The merchant's id. */
  _id: string;
  schema_version: number;
  may_create_beneficiaries: boolean;
  may_create_depositors: boolean;
  /** The last changes, newest last: who, by which operation, and with what result. */
  operations: {
    id: string;
    actor: StoredActor;
    may_create_beneficiaries: boolean;
    may_create_depositors: boolean;
    at: Date;
  }[];
  created_at: Date;
  updated_at: Date;
};

/** Compliance was not asked to watch records of version 1; the sweep asks it and raises them. */
export const unwatchedVersion = 1;
export const watchedVersion = 2;

/** What a sealed text is bound to, so that it opens nowhere else. */
function place(merchantId: string, id: string, field: string): string {
  return `${merchantId}|${id}|${field}`;
}

function screeningDocument(screening: Screening): ScreeningDocument {
  if (screening.status === "pending") {
    return { status: "pending", attempts: screening.attempts, next_at: screening.nextAt };
  }
  const { status, screeningId, screenedAt } = screening;
  return { status, screening_id: screeningId, screened_at: screenedAt };
}

function toScreening(document: ScreeningDocument): Screening {
  if (document.status === "pending") {
    return { status: "pending", attempts: document.attempts, nextAt: document.next_at };
  }
  const { status, screening_id: screeningId, screened_at: screenedAt } = document;
  return { status, screeningId, screenedAt };
}

/** A depositor's document, and the common part of a beneficiary's. */
export function recordDocument(
  record: NewBeneficiary | NewDepositor,
  { operationId, actor }: Change,
  walletScreeningId: string,
  sealer: Sealer,
): RecordDocument {
  const { open, secrets } = splitPrivate(record.whole);
  const requestId = callContext()?.requestId;
  const sealed = Object.entries(secrets).map(([field, plain]) => ({
    field,
    text: sealer.seal(plain, place(record.merchantId, record.id, field)),
  }));
  return {
    _id: record.id,
    schema_version: watchedVersion,
    merchant_id: record.merchantId,
    operation_id: operationId,
    actor,
    ...(requestId === undefined ? {} : { request_id: requestId }),
    fields: open,
    sealed,
    wallet_screening_id: walletScreeningId,
    screening: screeningDocument(record.screening),
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}

/** The body of a stored record with its sealed fields opened: all of them, or those wanted. */
export function openFields(
  document: RecordDocument,
  sealer: Sealer,
  isWanted: (field: string) => boolean = () => true,
): Fields {
  const { _id, merchant_id, fields, sealed } = document;
  const plain = sealed
    .filter(({ field }) => isWanted(field))
    .map(({ field, text }) => [field, sealer.open(text, place(merchant_id, _id, field))] as const);
  return joinPrivate(fields, Object.fromEntries(plain));
}

export function beneficiaryDocument(
  record: NewBeneficiary,
  change: Change,
  walletScreeningId: string,
  sealer: Sealer,
): BeneficiaryDocument {
  return {
    ...recordDocument(record, change, walletScreeningId, sealer),
    kind: record.kind,
    name: record.name,
    account_type: record.accountType,
    destination_currency: record.destinationCurrency,
    transfer_method: record.transferMethod,
    network: record.network,
    account_number_masked: record.accountNumberMasked,
    archived: record.archived,
  };
}

export function toBeneficiary(document: BeneficiaryDocument): Beneficiary {
  return {
    id: document._id,
    merchantId: document.merchant_id,
    kind: document.kind,
    name: document.name,
    accountType: document.account_type,
    destinationCurrency: document.destination_currency,
    transferMethod: document.transfer_method,
    network: document.network,
    accountNumberMasked: document.account_number_masked,
    fields: document.fields,
    screening: toScreening(document.screening),
    archived: document.archived,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}

export function toDepositor(document: RecordDocument, sealer: Sealer): Depositor {
  return {
    id: document._id,
    merchantId: document.merchant_id,
    fields: openFields(document, sealer, isShown),
    screening: toScreening(document.screening),
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}
