import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { onceByKey } from "@disburse/chassis/mongo/once.ts";
import { type Change, readMutation, type StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type {
  BeneficiaryService,
  MerchantPermissions as MerchantPermissionsMessage,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Db } from "mongodb";
import type { MerchantStore } from "../merchants/merchants.ts";
import type { MerchantPermissions } from "./rules/permissions.ts";

/**
 * The number of operations to keep. Repeats arrive within minutes, and one merchant's permissions
 * change less often than this.
 */
const operationsKept = 50;
const schemaVersion = 1;

type Flags = { may_create_beneficiaries: boolean; may_create_depositors: boolean };

type PermissionsDocument = Flags & {
  _id: string;
  schema_version: number;
  /** The latest changes with actor, operation and result, newest last. */
  operations: (Flags & { id: string; actor: StoredActor; at: Date })[];
  created_at: Date;
  updated_at: Date;
};

export type PermissionsStore = ReturnType<typeof openPermissions>;

/** Permissions of merchants. Queries use the merchant's id only. */
export function openPermissions(db: Db) {
  const collection = db.collection<PermissionsDocument>("merchant_permissions");
  const toPermissions = (merchantId: string, flags: Flags): MerchantPermissions => ({
    merchantId,
    mayCreateBeneficiaries: flags.may_create_beneficiaries,
    mayCreateDepositors: flags.may_create_depositors,
  });
  return {
    read: async (merchantId: string): Promise<MerchantPermissions | undefined> => {
      const found = await collection.findOne({ _id: merchantId });
      return found === null ? undefined : toPermissions(merchantId, found);
    },
    /** Creates or changes permissions. A repeat changes nothing and returns the first result. */
    set: async (
      { merchantId, ...wanted }: MerchantPermissions,
      { operationId, actor }: Change,
      now: Date,
    ): Promise<MerchantPermissions> => {
      const flags: Flags = {
        may_create_beneficiaries: wanted.mayCreateBeneficiaries,
        may_create_depositors: wanted.mayCreateDepositors,
      };
      const operation = { id: operationId, actor, ...flags, at: now };
      // A duplicate key means that the permissions already include the operation.
      await onceByKey(() =>
        collection.updateOne(
          { _id: merchantId, "operations.id": { $ne: operationId } },
          {
            $set: { ...flags, updated_at: now },
            $push: { operations: { $each: [operation], $slice: -operationsKept } },
            $setOnInsert: { schema_version: schemaVersion, created_at: now },
          },
          { upsert: true },
        ),
      );
      const stored = await collection.findOne({ _id: merchantId });
      if (stored === null)
        throw new Error("the merchant's permissions are missing right after they were written");
      const first = stored.operations.find(({ id }) => id === operationId);
      return toPermissions(merchantId, first ?? stored);
    },
  };
}

export type PermissionsDeps = {
  readonly permissions: PermissionsStore;
  readonly merchants: Pick<MerchantStore, "read">;
  readonly clock: Clock;
};

export function permissionsRpc({ permissions, merchants, clock }: PermissionsDeps) {
  return {
    setMerchantPermissions: async ({ mutation, permissions: wanted }) => {
      const change = readMutation(mutation);
      const read = readPermissions(wanted);
      if ((await merchants.read(read.merchantId)) === undefined) {
        return orThrow(refused("RECORD_NOT_FOUND", "merchant_id: is not known"));
      }
      return { permissions: await permissions.set(read, change, clock.now()) };
    },

    getMerchantPermissions: async ({ merchantId }) => {
      const found = await permissions.read(merchantId);
      return { permissions: orThrow(found ?? refused("RECORD_NOT_FOUND")) };
    },
  } satisfies Partial<ServiceImpl<typeof BeneficiaryService>>;
}

function readPermissions(wanted: MerchantPermissionsMessage | undefined): MerchantPermissions {
  if (wanted === undefined || wanted.merchantId === "") {
    throw new ConnectError("permissions.merchant_id: is required", Code.InvalidArgument);
  }
  const { merchantId, mayCreateBeneficiaries, mayCreateDepositors } = wanted;
  if (mayCreateBeneficiaries === undefined || mayCreateDepositors === undefined) {
    const problem = "may_create_beneficiaries and may_create_depositors: are required";
    return orThrow(refused("INVALID_REQUEST", problem));
  }
  return { merchantId, mayCreateBeneficiaries, mayCreateDepositors };
}
