import { publicRefusals, type RefusalTable, refusalError } from "@disburse/chassis/rpc-refusal.ts";
import { isRefused, type Refused } from "@disburse/kernel/refusal.ts";
import type { NotifierRefusal } from "./domain/refusal.ts";

/** Every refusal of this service, mapped once. */
export const refusals: RefusalTable<NotifierRefusal> = {
  INVALID_REQUEST: publicRefusals.INVALID_REQUEST,
  RECORD_NOT_FOUND: publicRefusals.RECORD_NOT_FOUND,
};

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export function accepted<T>(
  answer: T | Refused<NotifierRefusal>,
): Exclude<T, Refused<NotifierRefusal>> {
  if (isRefused(answer)) throw refusalError(refusals, answer as Refused<NotifierRefusal>);
  return answer as Exclude<T, Refused<NotifierRefusal>>;
}
