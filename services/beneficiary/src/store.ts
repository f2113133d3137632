import type { Database } from "@disburse/chassis/mongo.ts";
import type { Sealer } from "@disburse/chassis/sealing.ts";
import {
  type BeneficiaryDocument,
  type RecordDocument,
  toBeneficiary,
  toDepositor,
} from "./documents.ts";
import type { Beneficiary } from "./domain/beneficiary.ts";
import type { Depositor } from "./domain/depositor.ts";
import { openRecords, type RecordStore } from "./record-store.ts";
import { openSettings, type SettingsStore } from "./settings-store.ts";

/** The beneficiary service's collections. */
export type BeneficiaryStore = {
  readonly beneficiaries: RecordStore<Beneficiary>;
  readonly depositors: RecordStore<Depositor>;
  readonly settings: SettingsStore;
};

/** Opens the collections and makes their indexes. */
export async function openStore({ db }: Database, sealer: Sealer): Promise<BeneficiaryStore> {
  const beneficiary = (document: RecordDocument): Beneficiary =>
    toBeneficiary(document as BeneficiaryDocument);
  return {
    beneficiaries: await openRecords(db, "beneficiaries", sealer, beneficiary),
    depositors: await openRecords(db, "depositors", sealer, toDepositor),
    settings: openSettings(db),
  };
}
