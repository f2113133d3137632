import { isDuplicateKey } from "@disburse/chassis/mongo/database.ts";
import type { Db } from "mongodb";
import type { Change, MerchantSettingsDocument } from "./documents.ts";
import type { MerchantSettings } from "./domain/merchant-settings.ts";

/** Repeats come within minutes; so many changes of one merchant's settings do not. */
const operationsKept = 50;
const schemaVersion = 1;

export type SettingsStore = {
  read(merchantId: string): Promise<MerchantSettings | undefined>;
  /** Makes or changes settings; a repeat changes nothing and answers with the first result. */
  set(settings: MerchantSettings, change: Change, now: Date): Promise<MerchantSettings>;
};

type Permissions = { may_create_beneficiaries: boolean; may_create_depositors: boolean };

/** What merchants may create; looked up by the merchant's id alone. */
export function openSettings(db: Db): SettingsStore {
  const settings = db.collection<MerchantSettingsDocument>("merchant_settings");
  const toSettings = (merchantId: string, permissions: Permissions): MerchantSettings => ({
    merchantId,
    mayCreateBeneficiaries: permissions.may_create_beneficiaries,
    mayCreateDepositors: permissions.may_create_depositors,
  });
  return {
    read: async (merchantId) => {
      const found = await settings.findOne({ _id: merchantId });
      return found === null ? undefined : toSettings(merchantId, found);
    },
    set: async ({ merchantId, ...wanted }, { operationId, actor }, now) => {
      const permissions: Permissions = {
        may_create_beneficiaries: wanted.mayCreateBeneficiaries,
        may_create_depositors: wanted.mayCreateDepositors,
      };
      const operation = { id: operationId, actor, ...permissions, at: now };
      try {
        await settings.updateOne(
          { _id: merchantId, "operations.id": { $ne: operationId } },
          {
            $set: { ...permissions, updated_at: now },
            $push: { operations: { $each: [operation], $slice: -operationsKept } },
            $setOnInsert: { schema_version: schemaVersion, created_at: now },
          },
          { upsert: true },
        );
      } catch (error) {
        // The settings are there and know the operation: a repeat.
        if (!isDuplicateKey(error)) throw error;
      }
      const stored = await settings.findOne({ _id: merchantId });
      if (stored === null) throw new Error("settings that were just written are not there");
      const first = stored.operations.find(({ id }) => id === operationId);
      return toSettings(merchantId, first ?? stored);
    },
  };
}
