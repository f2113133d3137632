import type { Client } from "@connectrpc/connect";
import { callContext } from "@disburse/chassis/call-context.ts";
import { orThrow, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";

export type MerchantRegistry = Pick<Client<typeof BeneficiaryService>, "getMerchant">;

/**
 * Returns the merchant filter of a list. Operators may omit the merchant to list all merchants;
 * services must name one.
 */
export function listedMerchant(merchantId: string): { readonly merchant_id?: string } {
  if (merchantId !== "") return { merchant_id: merchantId };
  if (callContext()?.principal?.kind !== "person") {
    orThrow(refused("INVALID_REQUEST", "merchant_id: is required"));
  }
  return {};
}

/** Returns true if the merchant is registered. Throws if the registry is unavailable. */
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
