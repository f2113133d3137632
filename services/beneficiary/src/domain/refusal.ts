/** Every expected "no" of this service. */
export type BeneficiaryRefusal =
  | "INVALID_REQUEST"
  | "INVALID_WALLET_ADDRESS"
  | "RISK_ANALYSIS_FAILED"
  | "RECORD_NOT_FOUND"
  | "BENEFICIARY_CREATION_NOT_ALLOWED";
