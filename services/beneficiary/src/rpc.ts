import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { callerHeader } from "@disburse/chassis/rpc/identity.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import type {
  BeneficiaryService,
  MerchantSettings as MerchantSettingsMessage,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { beneficiaryForms } from "@disburse/forms/discovery.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import {
  type CreationDeps,
  createCryptoBeneficiary,
  createDepositor,
  createFiatBeneficiary,
} from "./creation.ts";
import type { MerchantSettings } from "./domain/merchant-settings.ts";
import { formChoice, formMessage } from "./form-wire.ts";
import { listRpc } from "./list-rpc.ts";
import { accepted } from "./refusals.ts";
import { beneficiaryMessage, depositorMessage, paymentInstruction } from "./wire.ts";

const notFound = refused("RECORD_NOT_FOUND");

/** Whom account numbers are told in full. */
const instructedCaller = "payout";

/** The RPCs of this service; proto/disburse/beneficiary/v1 tells what each promises. */
export function beneficiaryRpc(deps: CreationDeps): ServiceImpl<typeof BeneficiaryService> {
  const { beneficiaries, depositors, settings } = deps.store;
  return {
    ...listRpc(deps.store),

    createCryptoBeneficiary: async (request) => ({
      beneficiaryId: await createCryptoBeneficiary(deps, request),
    }),
    createFiatBeneficiary: async (request) => ({
      beneficiaryId: await createFiatBeneficiary(deps, request),
    }),
    createDepositor: async (request) => ({ depositorId: await createDepositor(deps, request) }),

    getBeneficiary: async ({ merchantId, beneficiaryId }) => {
      const found = await beneficiaries.read(merchantId, beneficiaryId);
      return { beneficiary: beneficiaryMessage(accepted(found ?? notFound)) };
    },

    archiveBeneficiary: async ({ mutation, merchantId, beneficiaryId: id }) => {
      const change = readMutation(mutation);
      const archived = await deps.store.archive({ merchantId, id }, change, deps.clock.now());
      return { beneficiary: beneficiaryMessage(accepted(archived ?? notFound)) };
    },

    getDepositor: async ({ merchantId, depositorId }) => {
      const found = await depositors.read(merchantId, depositorId);
      return { depositor: depositorMessage(accepted(found ?? notFound)) };
    },

    getPaymentInstruction: async ({ merchantId, beneficiaryId }, { requestHeader }) => {
      if (requestHeader.get(callerHeader) !== instructedCaller) {
        throw new ConnectError("for the payout service alone", Code.PermissionDenied);
      }
      const found = await beneficiaries.open(merchantId, beneficiaryId);
      return paymentInstruction(accepted(found ?? notFound));
    },

    listBeneficiaryForms: async (request) => ({
      forms: beneficiaryForms(formChoice(request), deps.allowed).map(formMessage),
    }),

    setMerchantSettings: async ({ mutation, settings: wanted }) => {
      const change = readMutation(mutation);
      const stored = await settings.set(readSettings(wanted), change, deps.clock.now());
      return { settings: stored };
    },

    getMerchantSettings: async ({ merchantId }) => {
      const found: MerchantSettings | undefined = await settings.read(merchantId);
      return { settings: accepted(found ?? notFound) };
    },
  };
}

function readSettings(wanted: MerchantSettingsMessage | undefined): MerchantSettings {
  if (wanted === undefined || wanted.merchantId === "") {
    throw new ConnectError("settings.merchant_id: is required", Code.InvalidArgument);
  }
  const { merchantId, mayCreateBeneficiaries, mayCreateDepositors } = wanted;
  return { merchantId, mayCreateBeneficiaries, mayCreateDepositors };
}
