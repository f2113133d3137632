import type { SealedPlace } from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { RequestedChange } from "@disburse/chassis/mutations/content.ts";
import { oldestFirst } from "@disburse/chassis/paging/page.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { custodyProviderName } from "@disburse/forms/values/custody-providers.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { isRefused, type Refused } from "@disburse/kernel/refusal.ts";
import type { Collection, Db } from "mongodb";
import {
  bodyFields,
  creatorOf,
  type OpenBody,
  openBody,
  openFields,
  type RecordDocument,
  recordDocument,
  type Storing,
  sealedRecords,
  toStoredRecord,
} from "../records/document.ts";
import type { ListedBy } from "../records/list.ts";
import type { Fields } from "../records/rules/private-fields.ts";
import { accountTypes } from "../records/rules/record.ts";
import { screeningStatuses } from "../records/rules/screening.ts";
import { type Opened, openRecords } from "../records/store.ts";
import { destinationKeys } from "./destination.ts";
import {
  type Beneficiary,
  beneficiaryKinds,
  beneficiaryScope,
  type NewBeneficiary,
} from "./rules/beneficiary.ts";
import { type Hashes, searchEntries } from "./search.ts";

export type BeneficiaryDocument = ReturnType<typeof beneficiaryDocument> & {
  /** Present only on an archived beneficiary. */
  archiving?: StoredChange;
  /** The latest updates, the newest last. */
  updates?: StoredChange[];
};

type StoredChange = { at: Date; operation_id: string; actor: StoredActor };

/** The number of updates to keep, by which a repeat is detected. Repeats arrive within minutes. */
const updatesKept = 50;

const listedBy: ListedBy = {
  choices: {
    archived: [false, true],
    "screening.status": screeningStatuses,
    kind: beneficiaryKinds,
    account_type: accountTypes,
  },
  apart: "destination_currency",
};

export type BeneficiaryStore = ReturnType<typeof openBeneficiaries>;

export function openBeneficiaries(db: Db, sealer: Sealer, hashes: Hashes) {
  const beneficiaries = db.collection<BeneficiaryDocument>(collectionName);
  const records = openRecords(db, sealer, {
    name: collectionName,
    listedBy,
    toRecord: toBeneficiary,
    scope: (record, whole) => beneficiaryScope(record, whole, custodyProviderName),
    changed: (id) => `${derivedId("event", id)}_`,
  });
  return {
    ...records,
    insert: (document: RecordDocument, change: RequestedChange) =>
      records.insert({ ...document, search: entriesOf(document, sealer, hashes) }, change),
    /**
     * Returns the id of the merchant's oldest earlier beneficiary with the same destination that
     * isn't archived.
     */
    findExisting: async (created: Opened<Beneficiary>): Promise<string | undefined> => {
      const { id, merchantId, createdAt } = created.record;
      const found = await beneficiaries.findOne(
        {
          search: { $in: destinationKeys(hashes.destinations, created) },
          created_at: { $lte: createdAt },
          _id: { $ne: id },
          merchant_id: merchantId,
          archived: false,
        },
        { sort: oldestFirst, hint: "search", projection: { _id: 1 } },
      );
      return found?._id;
    },
    update: bodyUpdater(beneficiaries, sealer, hashes),
    /** Reads without decryption, because decryption costs more than the query. */
    status: async (merchantId: string, id: string) => {
      // Reads whole documents, so that one query can read several beneficiaries.
      const found = await beneficiaries.findOne({ _id: id, merchant_id: merchantId });
      return (
        found && {
          screening: found.screening.status,
          destinationCurrency: found.destination_currency,
          archived: found.archived,
          createdAt: found.created_at,
        }
      );
    },
    /**
     * Returns the currencies of those ids that are beneficiaries of the merchant and not archived.
     */
    currencies: async (merchantId: string, ids: readonly string[]) => {
      const own = { _id: { $in: [...ids] }, merchant_id: merchantId, archived: false };
      const projection = { destination_currency: 1 } as const;
      return beneficiaries.find(own, { projection }).toArray();
    },
    /** Returns the next beneficiaries of all merchants after an id, in the order of ids. */
    examine: async (afterId: string, limit: number): Promise<Beneficiary[]> => {
      const after = { _id: { $gt: afterId } };
      const found = await beneficiaries.find(after).sort({ _id: 1 }).limit(limit).toArray();
      return found.map((each) => toBeneficiary(each, openBody(each, sealer)));
    },
    /** Archives in one write. A repeat changes nothing. */
    archive: async (
      { merchantId, id }: Pick<Beneficiary, "merchantId" | "id">,
      { operationId, actor }: Change,
      now: Date,
    ) => {
      const own = { _id: id, merchant_id: merchantId };
      const archiving = { at: now, operation_id: operationId, actor };
      const archived = await beneficiaries.findOneAndUpdate(
        { ...own, archived: false },
        { $set: { archived: true, archiving, updated_at: now } },
        { returnDocument: "after" },
      );
      const found = archived ?? (await beneficiaries.findOne(own));
      return found === null ? undefined : toBeneficiary(found, openBody(found, sealer));
    },
  };
}

/** Changes the body in one write. A repeat changes nothing. */
function bodyUpdater(
  beneficiaries: Collection<BeneficiaryDocument>,
  sealer: Sealer,
  hashes: Hashes,
) {
  return async (
    { merchantId, id }: Pick<Beneficiary, "merchantId" | "id">,
    fieldsOf: (stored: Beneficiary) => Fields | Refused<"INVALID_REQUEST">,
    { operationId, actor }: Change,
    now: Date,
  ): Promise<Beneficiary | Refused<"INVALID_REQUEST"> | undefined> => {
    const own = { _id: id, merchant_id: merchantId };
    // Repeats if the body was changed or encrypted again since it was read.
    for (;;) {
      const found = await beneficiaries.findOne(own);
      if (found === null) return undefined;
      const body = openBody(found, sealer);
      const stored = toBeneficiary(found, body);
      if (found.updates?.some((each) => each.operation_id === operationId)) return stored;
      const fields = fieldsOf(stored);
      if (isRefused(fields)) return fields;
      const changed = { ...found, ...bodyFields(found, { ...body, fields }, sealer) };
      const { sealed_body } = changed;
      const search = entriesOf(changed, sealer, hashes);
      const update = { at: now, operation_id: operationId, actor };
      const { modifiedCount } = await beneficiaries.updateOne(
        { ...own, sealed_body: found.sealed_body },
        {
          $set: { sealed_body, search, updated_at: now },
          $push: { updates: { $each: [update], $slice: -updatesKept } },
        },
      );
      if (modifiedCount === 1) return { ...stored, fields, updatedAt: now };
    }
  };
}

const collectionName = "beneficiaries";

/**
 * After a rotation, the search entries are hashed with the new key, too. Adds those of beneficiaries
 * from before the search.
 */
export function sealedBeneficiaries(hashes: Hashes): SealedPlace {
  const place = sealedRecords(collectionName);
  return {
    ...place,
    scan: `${collectionName} with search entries`,
    reseal: (document, sealer) => {
      const resealed = place.reseal(document, sealer);
      if (resealed === undefined && document.search !== undefined) return undefined;
      const { where, set } = resealed ?? { where: { sealed_body: document.sealed_body }, set: {} };
      const search = entriesOf(document as RecordDocument, sealer, hashes);
      return { where, set: { ...set, search } };
    },
  };
}

function entriesOf(document: RecordDocument, sealer: Sealer, hashes: Hashes): string[] {
  const body = openBody(document, sealer);
  const record = toBeneficiary(document as BeneficiaryDocument, body);
  return searchEntries(hashes, { record, whole: openFields(document, body, sealer) });
}

export function beneficiaryDocument(record: NewBeneficiary, storing: Storing) {
  return {
    ...recordDocument(record, storing, record.name),
    kind: record.kind,
    account_type: record.accountType,
    destination_currency: record.destinationCurrency,
    transfer_method: record.transferMethod,
    network: record.network,
    account_number_masked: record.accountNumberMasked,
    archived: record.archived,
  };
}

function toBeneficiary(document: BeneficiaryDocument, body: OpenBody): Beneficiary {
  return {
    ...toStoredRecord(document, body),
    kind: document.kind,
    name: body.name,
    accountType: document.account_type,
    destinationCurrency: document.destination_currency,
    transferMethod: document.transfer_method,
    network: document.network,
    accountNumberMasked: document.account_number_masked,
    archived: document.archived,
    createdBy: creatorOf(document),
  };
}
