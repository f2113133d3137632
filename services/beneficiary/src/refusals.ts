import { orThrowBy, publicRefusals, type RefusalTable } from "@disburse/chassis/rpc/refusal.ts";

/** Every expected refusal of this service. */
type BeneficiaryRefusal =
  | "INVALID_REQUEST"
  | "INVALID_WALLET_ADDRESS"
  | "RISK_ANALYSIS_FAILED"
  | "RECORD_NOT_FOUND"
  | "BENEFICIARY_CREATION_NOT_ALLOWED";

const refusals: RefusalTable<BeneficiaryRefusal> = publicRefusals;

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export const orThrow = orThrowBy(refusals);
