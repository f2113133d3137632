import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { archiveBeneficiary } from "./archive.ts";
import { type BeneficiaryDocument, type Change, toBeneficiary, toDepositor } from "./documents.ts";
import { accountTypes, type Beneficiary, beneficiaryKinds } from "./domain/beneficiary.ts";
import type { Depositor } from "./domain/depositor.ts";
import { screeningStatuses } from "./domain/screening.ts";
import type { ListedBy } from "./record-list.ts";
import { openRecords, type RecordStore } from "./record-store.ts";
import { openSettings, type SettingsStore } from "./settings-store.ts";

/** The beneficiary service's collections. */
export type BeneficiaryStore = {
  readonly beneficiaries: RecordStore<Beneficiary>;
  /** Archives a beneficiary of a merchant; `undefined` where there is none. */
  archive(
    beneficiary: { readonly merchantId: string; readonly id: string },
    change: Change,
    now: Date,
  ): Promise<Beneficiary | undefined>;
  readonly depositors: RecordStore<Depositor>;
  readonly settings: SettingsStore;
};

export const beneficiaryLists: ListedBy = {
  choices: {
    archived: [false, true],
    "screening.status": screeningStatuses,
    kind: beneficiaryKinds,
    account_type: accountTypes,
  },
  apart: "destination_currency",
};

/** The merchant's own business has no type. */
export const depositorLists: ListedBy = {
  choices: { "screening.status": screeningStatuses },
  apart: "fields.depositor_type",
};

/** Opens the collections and makes their indexes. */
export async function openStore({ db }: Database, sealer: Sealer): Promise<BeneficiaryStore> {
  const beneficiaries = db.collection<BeneficiaryDocument>("beneficiaries");
  return {
    archive: (beneficiary, change, now) =>
      archiveBeneficiary(beneficiaries, beneficiary, change, now),
    beneficiaries: await openRecords(db, sealer, {
      name: beneficiaries.collectionName,
      listedBy: beneficiaryLists,
      toRecord: (document) => toBeneficiary(document as BeneficiaryDocument),
    }),
    depositors: await openRecords(db, sealer, {
      name: "depositors",
      listedBy: depositorLists,
      toRecord: (document) => toDepositor(document, sealer),
    }),
    settings: openSettings(db),
  };
}
