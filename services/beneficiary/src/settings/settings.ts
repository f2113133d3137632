import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import { type Change, readMutation, type StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type {
  BeneficiaryService,
  MerchantSettings as MerchantSettingsMessage,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Db } from "mongodb";
import type { MerchantStore } from "../merchants/merchants.ts";
import type { MerchantSettings } from "./rules/merchant-settings.ts";

/**
 * The number of operations to keep. Repeats arrive within minutes, and one merchant's settings
 * change less often than this.
 */
const operationsKept = 50;
const schemaVersion = 1;

type Permissions = { may_create_beneficiaries: boolean; may_create_depositors: boolean };

type SettingsDocument = Permissions & {
  _id: string;
  schema_version: number;
  /** The latest changes with actor, operation and result, newest last. */
  operations: (Permissions & { id: string; actor: StoredActor; at: Date })[];
  created_at: Date;
  updated_at: Date;
};

export type SettingsStore = ReturnType<typeof openSettings>;

/** Permissions of merchants. Queries use the merchant's id only. */
export function openSettings(db: Db) {
  const settings = db.collection<SettingsDocument>("merchant_settings");
  const toSettings = (merchantId: string, permissions: Permissions): MerchantSettings => ({
    merchantId,
    mayCreateBeneficiaries: permissions.may_create_beneficiaries,
    mayCreateDepositors: permissions.may_create_depositors,
  });
  return {
    read: async (merchantId: string): Promise<MerchantSettings | undefined> => {
      const found = await settings.findOne({ _id: merchantId });
      return found === null ? undefined : toSettings(merchantId, found);
    },
    /** Creates or changes settings. A repeat changes nothing and returns the first result. */
    set: async (
      { merchantId, ...wanted }: MerchantSettings,
      { operationId, actor }: Change,
      now: Date,
    ): Promise<MerchantSettings> => {
      const permissions: Permissions = {
        may_create_beneficiaries: wanted.mayCreateBeneficiaries,
        may_create_depositors: wanted.mayCreateDepositors,
      };
      const operation = { id: operationId, actor, ...permissions, at: now };
      // A duplicate key means that the settings already include the operation.
      await onceByKey(() =>
        settings.updateOne(
          { _id: merchantId, "operations.id": { $ne: operationId } },
          {
            $set: { ...permissions, updated_at: now },
            $push: { operations: { $each: [operation], $slice: -operationsKept } },
            $setOnInsert: { schema_version: schemaVersion, created_at: now },
          },
          { upsert: true },
        ),
      );
      const stored = await settings.findOne({ _id: merchantId });
      if (stored === null) throw new Error("settings are missing right after their write");
      const first = stored.operations.find(({ id }) => id === operationId);
      return toSettings(merchantId, first ?? stored);
    },
  };
}

export type SettingsDeps = {
  readonly settings: SettingsStore;
  readonly merchants: Pick<MerchantStore, "read">;
  readonly clock: Clock;
};

export function settingsRpc({ settings, merchants, clock }: SettingsDeps) {
  return {
    setMerchantSettings: async ({ mutation, settings: wanted }) => {
      const change = readMutation(mutation);
      const read = readSettings(wanted);
      if ((await merchants.read(read.merchantId)) === undefined) {
        return orThrow(refused("RECORD_NOT_FOUND", "merchant_id: is not known"));
      }
      return { settings: await settings.set(read, change, clock.now()) };
    },

    getMerchantSettings: async ({ merchantId }) => {
      const found = await settings.read(merchantId);
      return { settings: orThrow(found ?? refused("RECORD_NOT_FOUND")) };
    },
  } satisfies Partial<ServiceImpl<typeof BeneficiaryService>>;
}

function readSettings(wanted: MerchantSettingsMessage | undefined): MerchantSettings {
  if (wanted === undefined || wanted.merchantId === "") {
    throw new ConnectError("settings.merchant_id: is required", Code.InvalidArgument);
  }
  const { merchantId, mayCreateBeneficiaries, mayCreateDepositors } = wanted;
  if (mayCreateBeneficiaries === undefined || mayCreateDepositors === undefined) {
    const problem = "may_create_beneficiaries and may_create_depositors: are required";
    return orThrow(refused("INVALID_REQUEST", problem));
  }
  return { merchantId, mayCreateBeneficiaries, mayCreateDepositors };
}
