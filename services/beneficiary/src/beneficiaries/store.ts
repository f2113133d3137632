import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import type { Db } from "mongodb";
import {
  type OpenBody,
  openBody,
  recordDocument,
  type Storing,
  toStoredRecord,
} from "../records/document.ts";
import type { ListedBy } from "../records/list.ts";
import { accountTypes } from "../records/rules/record.ts";
import { screeningStatuses } from "../records/rules/screening.ts";
import { openRecords } from "../records/store.ts";
import {
  type Beneficiary,
  beneficiaryKinds,
  beneficiaryScope,
  type NewBeneficiary,
} from "./rules/beneficiary.ts";

export type BeneficiaryDocument = ReturnType<typeof beneficiaryDocument> & {
  /** Present only on an archived beneficiary. */
  archiving?: { at: Date; operation_id: string; actor: StoredActor };
};

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

export function openBeneficiaries(db: Db, sealer: Sealer) {
  const beneficiaries = db.collection<BeneficiaryDocument>("beneficiaries");
  const records = openRecords(db, sealer, {
    name: beneficiaries.collectionName,
    listedBy,
    toRecord: toBeneficiary,
    scope: beneficiaryScope,
    changed: (id) => `${derivedId("event", id)}_`,
  });
  return {
    ...records,
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
  };
}
