import { orThrowBy, publicRefusals } from "@disburse/chassis/rpc/refusal.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/** Every expected "no" of the notifier; mapped once. */
export type NotifierRefusal = "INVALID_REQUEST" | "RECORD_NOT_FOUND" | "ACCESS_FORBIDDEN";

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export const orThrow = orThrowBy<NotifierRefusal>(publicRefusals);

/** An operation id stands for one intent; another one cannot have the first one's answer. */
export function operationUsed(): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", "operation_id: was used for another change");
}
