import { orThrowBy, publicRefusals } from "@disburse/chassis/rpc/refusal.ts";

/** Every expected "no" of the notifier; mapped once. */
export type NotifierRefusal =
  | "INVALID_REQUEST"
  | "RECORD_NOT_FOUND"
  | "ACCESS_FORBIDDEN"
  | "STATE_NOT_REACHABLE";

/** The answer of a rule, or its refusal thrown as the RPC's error. */
export const orThrow = orThrowBy<NotifierRefusal>(publicRefusals);
