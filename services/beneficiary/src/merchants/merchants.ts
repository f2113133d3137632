import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { insertOnce } from "@disburse/chassis/mongo/once.ts";
import { isOther, readChange, type StoredContent } from "@disburse/chassis/mutations/content.ts";
import { findCountedPage, type PageRequest } from "@disburse/chassis/paging/page.ts";
import type { StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiaryService,
  CreateMerchantRequestSchema,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { newId } from "@disburse/kernel/id.ts";
import { otherContent, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Db } from "mongodb";
import { type Merchant, readRegistration } from "./rules/merchant.ts";

const schemaVersion = 1;

type MerchantDocument = StoredContent & {
  _id: string;
  schema_version: number;
  name: string;
  /** The operation that registered the merchant. The index on this field is unique. */
  operation_id: string;
  actor: StoredActor;
  created_at: Date;
  updated_at: Date;
};

export type MerchantStore = ReturnType<typeof openMerchants>;

export function openMerchants(db: Db) {
  const merchants = db.collection<MerchantDocument>("merchants");
  return {
    /** Returns `undefined` if the operation or the id already exists. */
    insert: async (document: MerchantDocument): Promise<Merchant | undefined> =>
      (await insertOnce(merchants, document)) ? toMerchant(document) : undefined,
    ofOperation: (operationId: string) => merchants.findOne({ operation_id: operationId }),
    read: async (id: string): Promise<Merchant | undefined> => {
      const found = await merchants.findOne({ _id: id });
      return found === null ? undefined : toMerchant(found);
    },
    list: async (request: PageRequest) => {
      const { shown, ...rest } = await findCountedPage(merchants, {}, request, { hint: "list" });
      return { shown: shown.map(toMerchant), ...rest };
    },
  };
}

function toMerchant({ _id: id, name, created_at, updated_at }: MerchantDocument): Merchant {
  return { id, name, createdAt: created_at, updatedAt: updated_at };
}

export type MerchantDeps = { readonly merchants: MerchantStore; readonly clock: Clock };

export function merchantsRpc({ merchants, clock }: MerchantDeps) {
  return {
    createMerchant: async (request) => {
      const { operationId, actor, content } = readChange(CreateMerchantRequestSchema, request);
      const { id, name } = orThrow(readRegistration(request.merchantId, request.name));
      const now = clock.now();
      const registered = await merchants.insert({
        _id: id ?? newId("merchant", now),
        schema_version: schemaVersion,
        name,
        operation_id: operationId,
        operation_content: content,
        actor,
        created_at: now,
        updated_at: now,
      });
      if (registered !== undefined) return { merchant: merchantMessage(registered) };
      const first = await merchants.ofOperation(operationId);
      if (first === null) {
        const registered = "merchant_id: is already registered";
        return orThrow(refused("INVALID_REQUEST", registered));
      }
      if (isOther(first, content)) return orThrow(otherContent);
      return { merchant: merchantMessage(toMerchant(first)) };
    },

    getMerchant: async ({ merchantId }) => {
      const found = await merchants.read(merchantId);
      return { merchant: merchantMessage(orThrow(found ?? refused("RECORD_NOT_FOUND"))) };
    },

    listMerchants: async (request) => {
      const { shown, ...rest } = await merchants.list(request);
      return { merchants: shown.map(merchantMessage), ...rest };
    },
  } satisfies Partial<ServiceImpl<typeof BeneficiaryService>>;
}

function merchantMessage({ id, name, createdAt, updatedAt }: Merchant) {
  const times = {
    createdAt: timestampFromDate(createdAt),
    updatedAt: timestampFromDate(updatedAt),
  };
  return { id, name, ...times };
}
