import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { callerHeader } from "@disburse/chassis/rpc/identity.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { beneficiaryForms } from "@disburse/forms/describe/discovery.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import { type CreationDeps, createRecord } from "../creation/creation.ts";
import { listPage } from "../records/list-request.ts";
import { orThrow } from "../refusals.ts";
import { cryptoCreation, fiatCreation } from "./creation.ts";
import type { BeneficiaryStore } from "./store.ts";
import {
  beneficiaryMessage,
  formChoice,
  formMessage,
  paymentInstruction,
  readBeneficiaryFilter,
} from "./wire.ts";

/** What the RPCs of beneficiaries work with. */
export type BeneficiaryDeps = CreationDeps & { readonly beneficiaries: BeneficiaryStore };

const notFound = refused("RECORD_NOT_FOUND");

/** The only caller that reads account numbers in full. */
const payingCaller = "payout";

/** The RPCs of beneficiaries. */
export function beneficiariesRpc(deps: BeneficiaryDeps) {
  const { beneficiaries } = deps;
  return {
    createCryptoBeneficiary: async (request) => ({
      beneficiaryId: await createRecord(deps, beneficiaries, cryptoCreation, request),
    }),
    createFiatBeneficiary: async (request) => ({
      beneficiaryId: await createRecord(deps, beneficiaries, fiatCreation, request),
    }),

    getBeneficiary: async ({ merchantId, beneficiaryId }) => {
      const found = await beneficiaries.read(merchantId, beneficiaryId);
      return { beneficiary: beneficiaryMessage(orThrow(found ?? notFound)) };
    },

    listBeneficiaries: async (message) => {
      const filter = orThrow(readBeneficiaryFilter(message));
      const { shown, ...rest } = await listPage(beneficiaries, message, filter);
      return { beneficiaries: shown.map(beneficiaryMessage), ...rest };
    },

    archiveBeneficiary: async ({ mutation, merchantId, beneficiaryId: id }) => {
      const change = readMutation(mutation);
      const archived = await beneficiaries.archive({ merchantId, id }, change, deps.clock.now());
      return { beneficiary: beneficiaryMessage(orThrow(archived ?? notFound)) };
    },

    getPaymentInstruction: async ({ merchantId, beneficiaryId }, { requestHeader }) => {
      if (requestHeader.get(callerHeader) !== payingCaller) {
        throw new ConnectError("for the payout service alone", Code.PermissionDenied);
      }
      const found = await beneficiaries.open(merchantId, beneficiaryId);
      return paymentInstruction(orThrow(found ?? notFound));
    },

    listBeneficiaryForms: async (request) => ({
      forms: beneficiaryForms(formChoice(request), deps.allowed).map(formMessage),
    }),
  } satisfies Partial<ServiceImpl<typeof BeneficiaryService>>;
}
