import { acceptedBy, publicRefusals, type RefusalTable } from "@disburse/chassis/rpc/refusal.ts";
import type { BeneficiaryRefusal } from "./domain/refusal.ts";

/** Every refusal of this service, mapped once. */
export const refusals: RefusalTable<BeneficiaryRefusal> = {
  INVALID_REQUEST: publicRefusals.INVALID_REQUEST,
  INVALID_WALLET_ADDRESS: publicRefusals.INVALID_WALLET_ADDRESS,
  RISK_ANALYSIS_FAILED: publicRefusals.RISK_ANALYSIS_FAILED,
  RECORD_NOT_FOUND: publicRefusals.RECORD_NOT_FOUND,
  BENEFICIARY_CREATION_NOT_ALLOWED: publicRefusals.BENEFICIARY_CREATION_NOT_ALLOWED,
};

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export const accepted = acceptedBy(refusals);
