import { acceptedBy, publicRefusals, type RefusalTable } from "@disburse/chassis/rpc/refusal.ts";
import type { NotifierRefusal } from "./domain/refusal.ts";

/** Every refusal of this service, mapped once. */
export const refusals: RefusalTable<NotifierRefusal> = {
  INVALID_REQUEST: publicRefusals.INVALID_REQUEST,
  RECORD_NOT_FOUND: publicRefusals.RECORD_NOT_FOUND,
  ACCESS_FORBIDDEN: publicRefusals.ACCESS_FORBIDDEN,
};

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export const accepted = acceptedBy(refusals);
