import { currentOrigin, type Origin } from "@disburse/chassis/call-context.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { RequestedChange } from "@disburse/chassis/mutations/content.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { type Fields, joinPrivate, splitPrivate } from "./rules/private-fields.ts";
import type { NewRecord, StoredRecord } from "./rules/record.ts";
import type { Screening } from "./rules/screening.ts";

type ScreeningDocument =
  | { status: "pending"; attempts: number; next_at: Date }
  | { status: "cleared" | "review" | "blocked"; screening_id: string; screened_at: Date };

/** Of beneficiaries and depositors: a body that is partly sealed, and a screening. */
export type RecordDocument = Origin & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  operation_id: string;
  /** The operation's content: sealed, as a record can be guessed from it. Absent before 0.2. */
  sealed_content?: string;
  actor: StoredActor;
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

/** Compliance does not monitor records of version 1; the sweep registers them and raises them. */
export const unwatchedVersion = 1;
export const watchedVersion = 2;

/** What a sealed text is bound to, so that it opens nowhere else. */
function place(merchantId: string, id: string, field: string): string {
  return `${merchantId}|${id}|${field}`;
}

/** Where the content of a record's operation is sealed for; no field of a body has this name. */
const contentPlace = "operation";

/** Whether the operation of a record came with other content than this. */
export function isOfOther(document: RecordDocument, content: string, sealer: Sealer): boolean {
  const { _id, merchant_id, sealed_content } = document;
  if (sealed_content === undefined) return false;
  return sealer.open(sealed_content, place(merchant_id, _id, contentPlace)) !== content;
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

/** What a record is stored with: its change, its wallet's screening, and what seals it. */
export type Storing = {
  readonly change: RequestedChange;
  readonly walletScreeningId: string;
  readonly sealer: Sealer;
};

/** A depositor's document, and the common part of a beneficiary's. */
export function recordDocument(
  record: NewRecord,
  { change, walletScreeningId, sealer }: Storing,
): RecordDocument {
  const { open, secrets } = splitPrivate(record.whole);
  const sealed = Object.entries(secrets).map(([field, plain]) => ({
    field,
    text: sealer.seal(plain, place(record.merchantId, record.id, field)),
  }));
  return {
    _id: record.id,
    schema_version: watchedVersion,
    merchant_id: record.merchantId,
    operation_id: change.operationId,
    sealed_content: sealer.seal(change.content, place(record.merchantId, record.id, contentPlace)),
    actor: change.actor,
    ...currentOrigin(),
    fields: open,
    sealed,
    wallet_screening_id: walletScreeningId,
    screening: screeningDocument(record.screening),
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}

/** The common part of a stored record. */
export function toStoredRecord(document: RecordDocument): StoredRecord {
  return {
    id: document._id,
    merchantId: document.merchant_id,
    fields: document.fields,
    screening: toScreening(document.screening),
    createdAt: document.created_at,
    updatedAt: document.updated_at,
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
