import type { ServiceImpl } from "@connectrpc/connect";
import { Code, ConnectError } from "@connectrpc/connect";
import { publicRefusals, refusalError } from "@disburse/chassis/rpc-refusal.ts";
import {
  type BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { World } from "./world.ts";

/** A beneficiary of a merchant; the one that is found out later was cleared before. */
export type SimulatedBeneficiary = {
  readonly id: string;
  readonly merchantId: string;
  readonly currency: string;
  isCleared: boolean;
};

/** Stands in for the beneficiary service: what is asked of it, with outages. */
export function beneficiaryStandIn(
  { faults }: World,
  beneficiaries: ReadonlyMap<string, SimulatedBeneficiary>,
): Partial<ServiceImpl<typeof BeneficiaryService>> {
  const found = (merchantId: string, id: string): SimulatedBeneficiary => {
    if (faults.happens("beneficiary service away", 0.03)) {
      throw new ConnectError("away", Code.Unavailable);
    }
    const beneficiary = beneficiaries.get(id);
    if (beneficiary?.merchantId === merchantId) return beneficiary;
    throw refusalError(publicRefusals, refused("RECORD_NOT_FOUND"));
  };
  return {
    getBeneficiary: async ({ merchantId, beneficiaryId }) => {
      const { id, currency, isCleared } = found(merchantId, beneficiaryId);
      return {
        beneficiary: {
          ...{ id, merchantId, name: "Ada Lovelace", accountNumberMasked: "********1234" },
          ...{ destinationCurrency: currency, transferMethod: "LOCAL" },
          screeningStatus: isCleared ? ScreeningStatus.CLEARED : ScreeningStatus.BLOCKED,
        },
      };
    },
    getPaymentInstruction: async ({ merchantId, beneficiaryId }) => {
      const { isCleared } = found(merchantId, beneficiaryId);
      return {
        screeningStatus: isCleared ? ScreeningStatus.CLEARED : ScreeningStatus.BLOCKED,
        ...{ accountNumber: "123456781234", transferMethod: "LOCAL" },
        ...{ beneficiaryName: "Ada Lovelace", destinationCountry: "IN" },
      };
    },
  };
}
