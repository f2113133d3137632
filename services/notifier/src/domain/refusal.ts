import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/** Every expected "no" of the notifier; mapped once, in `refusals.ts`. */
export type NotifierRefusal = "INVALID_REQUEST" | "RECORD_NOT_FOUND" | "ACCESS_FORBIDDEN";

/** An operation id stands for one intent; another one cannot have the first one's answer. */
export function operationUsed(): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", "operation_id: was used for another change");
}
