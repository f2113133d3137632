import { orThrowBy, publicRefusals, type RefusalTable } from "@disburse/chassis/rpc/refusal.ts";

/** Every refusal of this service, mapped once. */
const refusals = {
  INVALID_REQUEST: publicRefusals.INVALID_REQUEST,
  RECORD_NOT_FOUND: publicRefusals.RECORD_NOT_FOUND,
  ACCESS_FORBIDDEN: publicRefusals.ACCESS_FORBIDDEN,
  ALREADY_PROCESSED: publicRefusals.ALREADY_PROCESSED,
  QUOTE_EXPIRED: publicRefusals.QUOTE_EXPIRED,
  AMOUNT_NOT_WITHIN_LIMITS: publicRefusals.AMOUNT_NOT_WITHIN_LIMITS,
  INSUFFICIENT_BALANCE: publicRefusals.INSUFFICIENT_BALANCE,
} as const satisfies RefusalTable<string>;

/** Why a payout is not made, changed or found. */
export type PayoutRefusal = keyof typeof refusals;

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export const orThrow = orThrowBy(refusals);
