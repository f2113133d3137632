import { currentOrigin, type Origin } from "@disburse/chassis/call-context.ts";
import type { SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { RequestedChange } from "@disburse/chassis/mutations/content.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { type Fields, joinPrivate, splitPrivate } from "./rules/private-fields.ts";
import type { NewRecord, StoredRecord } from "./rules/record.ts";
import type { Screening, ScreeningResult, ScreeningStatus } from "./rules/screening.ts";

/** A change of a screening that its merchant may have subscribed to. */
export type PendingChange = {
  /** The event's id. */
  id: string;
  /** From 1, without gap. */
  number: number;
  status: ScreeningResult["status"];
  previous_status: ScreeningStatus;
  at: Date;
};

/** Of beneficiaries and depositors: a body that is partly sealed, and a screening. */
export type RecordDocument = Origin & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  operation_id: string;
  /** The operation's content: sealed, as a record can be guessed from it. */
  sealed_content: string;
  actor: StoredActor;
  /** What lists filter by. */
  fields: Fields;
  /** The public body without its private fields, and a beneficiary's name. */
  sealed_body: string;
  /** The private fields by their path, each sealed for its own place. */
  sealed: { field: string; text: string }[];
  /** Of the wallet, made before the record was stored; `""` where there is no wallet. */
  wallet_screening_id: string;
  screening: Stored<Screening>;
  /** How many changes of its screening its merchant could be notified of; absent before one. */
  screening_changes?: number;
  /** Those that the bus has not confirmed yet. */
  outbox?: PendingChange[];
  created_at: Date;
  updated_at: Date;
};

const schemaVersion = 1;

/** What a sealed text is bound to, so that it opens nowhere else. */
function place(merchantId: string, id: string, field: string): string {
  return `${merchantId}|${id}|${field}`;
}

/** Where the content of a record's operation is sealed for; no field of a body has this name. */
const contentPlace = "operation";
/** Where the body is sealed for; no field has this name either. */
const bodyPlace = "body";

/** Fields that lists filter by, and that name no person. */
const clearNames: ReadonlySet<string> = new Set(["depositor_type"]);

/** What a record says of its party, beside its private fields. */
export type OpenBody = {
  readonly fields: Fields;
  /** Of a beneficiary. */
  readonly name: string;
};

/** How a body is stored: sealed whole, so that a field that is added later is sealed too. */
function bodyFields(
  { _id, merchant_id }: Pick<RecordDocument, "_id" | "merchant_id">,
  body: OpenBody,
  sealer: Sealer,
) {
  const clear = Object.entries(body.fields).filter(([name]) => clearNames.has(name));
  return {
    fields: Object.fromEntries(clear),
    sealed_body: sealer.seal(JSON.stringify(body), place(merchant_id, _id, bodyPlace)),
  };
}

/** The body of a record without its private fields; it takes one opening. */
export function openBody(document: RecordDocument, sealer: Sealer): OpenBody {
  const { _id, merchant_id, sealed_body } = document;
  return JSON.parse(sealer.open(sealed_body, place(merchant_id, _id, bodyPlace))) as OpenBody;
}

/** Where records are sealed. */
export function sealedRecords(collection: string): SealedPlace {
  return {
    collection,
    reseal: (document, sealer) => {
      const record = document as unknown as RecordDocument;
      if (textsOf(record).every((text) => sealer.isCurrent(text))) return undefined;
      // All of it at once, so that the body stands for the rest of what was read.
      const where = { sealed_body: record.sealed_body };
      return { where, set: resealedFields(record, sealer) };
    },
  };
}

function textsOf({ sealed, sealed_body, sealed_content }: RecordDocument): string[] {
  return [sealed_body, ...sealed.map(({ text }) => text), sealed_content];
}

function resealedFields(document: RecordDocument, sealer: Sealer) {
  const { _id, merchant_id, sealed, sealed_content } = document;
  const again = (text: string, field: string) => {
    const own = place(merchant_id, _id, field);
    return sealer.seal(sealer.open(text, own), own);
  };
  return {
    ...bodyFields(document, openBody(document, sealer), sealer),
    sealed: sealed.map(({ field, text }) => ({ field, text: again(text, field) })),
    sealed_content: again(sealed_content, contentPlace),
  };
}

/** Whether the operation of a record came with other content than this. */
export function isOfOther(document: RecordDocument, content: string, sealer: Sealer): boolean {
  const { _id, merchant_id, sealed_content } = document;
  return sealer.open(sealed_content, place(merchant_id, _id, contentPlace)) !== content;
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
  name = "",
): RecordDocument {
  const { open, secrets } = splitPrivate(record.whole);
  const own = { _id: record.id, merchant_id: record.merchantId };
  const sealed = Object.entries(secrets).map(([field, plain]) => ({
    field,
    text: sealer.seal(plain, place(record.merchantId, record.id, field)),
  }));
  return {
    _id: record.id,
    schema_version: schemaVersion,
    merchant_id: record.merchantId,
    operation_id: change.operationId,
    sealed_content: sealer.seal(change.content, place(record.merchantId, record.id, contentPlace)),
    actor: change.actor,
    ...currentOrigin(),
    ...bodyFields(own, { fields: open, name }, sealer),
    sealed,
    wallet_screening_id: walletScreeningId,
    screening: toStored(record.screening),
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}

/** The common part of a stored record. */
export function toStoredRecord(document: RecordDocument, { fields }: OpenBody): StoredRecord {
  return {
    id: document._id,
    merchantId: document.merchant_id,
    fields,
    screening: fromStored<Screening>(document.screening),
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
}

/** The body of a stored record with its sealed fields opened: all of them, or those wanted. */
export function openFields(
  { _id, merchant_id, sealed }: RecordDocument,
  { fields }: OpenBody,
  sealer: Sealer,
  isWanted: (field: string) => boolean = () => true,
): Fields {
  const plain = sealed
    .filter(({ field }) => isWanted(field))
    .map(({ field, text }) => [field, sealer.open(text, place(merchant_id, _id, field))] as const);
  return joinPrivate(fields, Object.fromEntries(plain));
}
