import { currentOrigin, type Origin } from "@disburse/chassis/call-context.ts";
import type { SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { fromStored, type Stored, toStored } from "@disburse/chassis/mongo/stored.ts";
import type { RequestedChange } from "@disburse/chassis/mutations/content.ts";
import type { Creator } from "@disburse/chassis/rpc/creator.ts";
import { isId } from "@disburse/kernel/id.ts";
import { type Fields, joinPrivate, splitPrivate } from "./rules/private-fields.ts";
import type { NewRecord, StoredRecord } from "./rules/record.ts";
import type { Screening, ScreeningResult, ScreeningStatus } from "./rules/screening.ts";

/** A screening change that may interest the merchant's subscriptions. */
export type PendingChange = {
  id: string;
  /** Numbers a record's changes from 1 without gaps. */
  number: number;
  status: ScreeningResult["status"];
  previous_status: ScreeningStatus;
  at: Date;
};

/** The stored form of beneficiaries and depositors: a partly encrypted body and a screening. */
export type RecordDocument = Origin & {
  _id: string;
  schema_version: number;
  merchant_id: string;
  operation_id: string;
  /** The digest of the operation's request, encrypted because it would reveal the record. */
  sealed_content: string;
  actor: Creator;
  /** Stored in plain text, for the filters of lists. */
  fields: Fields;
  /** The public body without its private fields, plus a beneficiary's name. */
  sealed_body: string;
  /** The private fields by path, each encrypted for its own place. */
  sealed: { field: string; text: string }[];
  /** Hashes that a beneficiary is found by, see beneficiaries/search.ts. */
  search?: string[];
  /** The screening of the wallet before the record was stored; `""` without a wallet. */
  wallet_screening_id: string;
  screening: Stored<Screening>;
  /** Number of the latest screening change; absent before the first one. */
  screening_changes?: number;
  /** Changes that the bus has not confirmed yet. */
  outbox?: PendingChange[];
  created_at: Date;
  updated_at: Date;
};

const schemaVersion = 1;

/** Binds an encrypted text to its place, so that it can't be decrypted elsewhere. */
function place(merchantId: string, id: string, field: string): string {
  return `${merchantId}|${id}|${field}`;
}

/** The place of an operation's encrypted request digest. No body field has this name. */
const contentPlace = "operation";
/** The place of the encrypted body. No body field has this name. */
const bodyPlace = "body";

/** Fields that lists filter by. They identify no person. */
const clearNames: ReadonlySet<string> = new Set(["depositor_type"]);

export type OpenBody = {
  readonly fields: Fields;
  readonly name: string;
};

/** Encrypts the body as a whole, so that future fields are encrypted too. */
export function bodyFields(
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

/** Decrypts the body without its private fields, which needs only one decryption. */
export function openBody(document: RecordDocument, sealer: Sealer): OpenBody {
  const { _id, merchant_id, sealed_body } = document;
  return JSON.parse(sealer.open(sealed_body, place(merchant_id, _id, bodyPlace))) as OpenBody;
}

export function sealedRecords(collection: string): SealedPlace {
  return {
    collection,
    reseal: (document, sealer) => {
      const record = document as unknown as RecordDocument;
      if (textsOf(record).every((text) => sealer.isCurrent(text))) return undefined;
      // All texts are encrypted again together, so comparing the encrypted body is enough to detect
      // a concurrent change.
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

export function isOfOther(document: RecordDocument, content: string, sealer: Sealer): boolean {
  const { _id, merchant_id, sealed_content } = document;
  return sealer.open(sealed_content, place(merchant_id, _id, contentPlace)) !== content;
}

export type Storing = {
  readonly change: RequestedChange;
  readonly walletScreeningId: string;
  readonly sealer: Sealer;
};

/** Builds a depositor's document, and the common part of a beneficiary's. */
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

/** A link's operation has the link's id (links/submit.ts). */
export function creatorOf({
  actor,
  operation_id: id,
}: Pick<RecordDocument, "actor" | "operation_id">) {
  const isLink = actor.kind === "service" && isId("link", id);
  return isLink ? ({ kind: "link", id } as const) : actor;
}

/** Decrypts the encrypted fields of a body: all, or only those wanted. */
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
