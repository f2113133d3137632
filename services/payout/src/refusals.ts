import { orThrowBy, publicRefusals } from "@disburse/chassis/rpc/refusal.ts";

/** Why a payout is not made, changed or found. */
export type PayoutRefusal =
  | "INVALID_REQUEST"
  | "RECORD_NOT_FOUND"
  | "ACCESS_FORBIDDEN"
  | "ALREADY_PROCESSED"
  | "QUOTE_EXPIRED"
  | "AMOUNT_NOT_WITHIN_LIMITS"
  | "INSUFFICIENT_BALANCE";

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export const orThrow = orThrowBy<PayoutRefusal>(publicRefusals);
