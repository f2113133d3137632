import { acceptedBy, publicRefusals, type RefusalTable } from "@disburse/chassis/rpc/refusal.ts";
import type { QuoteRefusal } from "./domain/quote.ts";

/** Every refusal of this service, mapped once. */
export const refusals: RefusalTable<QuoteRefusal> = {
  INVALID_REQUEST: publicRefusals.INVALID_REQUEST,
  RECORD_NOT_FOUND: publicRefusals.RECORD_NOT_FOUND,
  ACCESS_FORBIDDEN: publicRefusals.ACCESS_FORBIDDEN,
  CORRIDOR_NOT_ACTIVE: publicRefusals.CORRIDOR_NOT_ACTIVE,
  QUOTE_EXPIRED: publicRefusals.QUOTE_EXPIRED,
  ALREADY_PROCESSED: publicRefusals.ALREADY_PROCESSED,
};

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export const accepted = acceptedBy(refusals);
