import { orThrowBy, publicRefusals, type RefusalTable } from "@disburse/chassis/rpc/refusal.ts";

/** Every expected refusal of this service. */
type QuoteRefusal =
  | "INVALID_REQUEST"
  | "RECORD_NOT_FOUND"
  | "ACCESS_FORBIDDEN"
  | "CORRIDOR_NOT_ACTIVE"
  | "QUOTE_EXPIRED"
  | "ALREADY_PROCESSED";

const refusals: RefusalTable<QuoteRefusal> = publicRefusals;

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export const orThrow = orThrowBy(refusals);
