import type { Client } from "@connectrpc/connect";
import { callContext } from "@disburse/chassis/call-context.ts";
import { orThrow, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";

/** The registry of merchants, which the beneficiary service has. */
export type MerchantRegistry = Pick<Client<typeof BeneficiaryService>, "getMerchant">;

/**
 * Whose records a list has: a merchant's, or of all merchants where a person of the operator's team
 * names none. Refuses a service that names none: it calls for a merchant.
 */
export function listedMerchant(merchantId: string): { readonly merchant_id?: string } {
  if (merchantId !== "") return { merchant_id: merchantId };
  if (callContext()?.principal?.kind !== "person") {
    orThrow(refused("INVALID_REQUEST", "merchant_id: is required"));
  }
  return {};
}

/** Throws where the registry does not answer. */
export async function isRegistered(
  registry: MerchantRegistry,
  merchantId: string,
): Promise<boolean> {
  try {
    await registry.getMerchant({ merchantId });
    return true;
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return false;
    throw error;
  }
}
