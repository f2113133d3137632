import type { Client } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { LedgerCollections } from "./documents.ts";

/** The registry of merchants, which the beneficiary service has. */
export type MerchantRegistry = Pick<Client<typeof BeneficiaryService>, "getMerchant">;

/**
 * Whether a merchant is registered, or has an account: merchants of before there was a registry go
 * on. Throws where the registry does not answer.
 */
export async function isKnownMerchant(
  { accounts }: Pick<LedgerCollections, "accounts">,
  registry: MerchantRegistry,
  merchantId: string,
): Promise<boolean> {
  if ((await accounts.findOne({ merchant_id: merchantId })) !== null) return true;
  try {
    await registry.getMerchant({ merchantId });
    return true;
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return false;
    throw error;
  }
}
