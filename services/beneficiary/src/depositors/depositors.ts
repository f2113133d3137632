import { create, fromJson } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiaryService,
  CreateDepositorRequestSchema,
  DepositorFieldsSchema,
  type Depositor as DepositorMessage,
  DepositorSchema,
  DepositorStatus,
  type ListDepositorsRequest,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { depositor as depositorForm } from "@disburse/forms/bodies/depositor.ts";
import { checkWalletAddress, walletNetworks } from "@disburse/forms/values/wallet-address.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Db } from "mongodb";
import { type Creation, type CreationDeps, createRecord } from "../creation/creation.ts";
import { openFields, recordDocument, toStoredRecord } from "../records/document.ts";
import { partyType, readFilter, type Wanted } from "../records/list-request.ts";
import { type Fields, textOf } from "../records/rules/private-fields.ts";
import type { StoredRecord } from "../records/rules/record.ts";
import { type ScreeningStatus, screeningStatuses } from "../records/rules/screening.ts";
import { openRecords, type RecordStore } from "../records/store.ts";
import { depositorScope, isShown, newDepositor } from "./rules/depositor.ts";

export function openDepositors(db: Db, sealer: Sealer): RecordStore {
  return openRecords(db, sealer, {
    name: "depositors",
    // A depositor that is the merchant's own business has no type.
    listedBy: {
      choices: { "screening.status": screeningStatuses },
      apart: "fields.depositor_type",
    },
    toRecord: (document, body) => ({
      ...toStoredRecord(document, body),
      fields: openFields(document, body, sealer, isShown),
    }),
    scope: (_record, whole) => depositorScope(whole),
  });
}

export type DepositorDeps = CreationDeps & { readonly depositors: RecordStore };

export function depositorsRpc(deps: DepositorDeps) {
  const { depositors } = deps;
  return {
    createDepositor: async (request) => {
      const stored = await createRecord(deps, depositors, depositorCreation, request);
      return { depositorId: stored?.record.id ?? "" };
    },

    getDepositor: async ({ merchantId, depositorId }) => {
      const found = await depositors.read(merchantId, depositorId);
      return { depositor: depositorMessage(orThrow(found ?? refused("RECORD_NOT_FOUND"))) };
    },

    listDepositors: async (message) => {
      const filter = orThrow(readDepositorFilter(message));
      const { shown, ...rest } = await depositors.list(message.merchantId, filter, message);
      return { depositors: shown.map(depositorMessage), ...rest };
    },
  } satisfies Partial<ServiceImpl<typeof BeneficiaryService>>;
}

/** Requires the screening of a wallet, if any, to be clear before the depositor is stored. */
export const depositorCreation: Creation<typeof DepositorFieldsSchema> = {
  noun: "depositor",
  form: depositorForm,
  schema: DepositorFieldsSchema,
  request: CreateDepositorRequestSchema,
  wallet: depositorWallet,
  document: (origin, body, wallet, storing) =>
    recordDocument(newDepositor(origin, body, wallet?.address), storing),
};

/** Returns a wallet valid on at least one network, or `undefined` if the body has none. */
export function depositorWallet(body: Fields) {
  const sent = textOf(body, "depositor_wallet_address");
  if (sent === "") return undefined;
  const networks = walletNetworks(sent);
  const [first] = networks;
  if (first === undefined) return refused("INVALID_WALLET_ADDRESS");
  const address = checkWalletAddress(first, sent);
  return typeof address === "string" ? { networks, address } : address;
}

const statusMessages: Readonly<Record<ScreeningStatus, DepositorStatus>> = {
  pending: DepositorStatus.PENDING,
  cleared: DepositorStatus.WHITELISTED,
  review: DepositorStatus.REVIEW,
  blocked: DepositorStatus.REJECTED,
};

export function depositorMessage(depositor: StoredRecord): DepositorMessage {
  return create(DepositorSchema, {
    id: depositor.id,
    merchantId: depositor.merchantId,
    status: statusMessages[depositor.screening.status],
    fields: fromJson(DepositorFieldsSchema, depositor.fields),
    createdAt: timestampFromDate(depositor.createdAt),
    updatedAt: timestampFromDate(depositor.updatedAt),
  });
}

const wantedStatuses: Readonly<Record<DepositorStatus, Wanted<ScreeningStatus>>> = {
  [DepositorStatus.UNSPECIFIED]: null,
  [DepositorStatus.PENDING]: "pending",
  [DepositorStatus.WHITELISTED]: "cleared",
  [DepositorStatus.REVIEW]: "review",
  [DepositorStatus.REJECTED]: "blocked",
};

export function readDepositorFilter(message: ListDepositorsRequest) {
  return readFilter(message, [
    ["status", "screening.status", wantedStatuses[message.status]],
    ["depositor_type", "fields.depositor_type", partyType(message.depositorType)],
  ]);
}
