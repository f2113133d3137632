import { orThrowBy, publicRefusals } from "@disburse/chassis/rpc/refusal.ts";

/** All expected refusals of the notifier. This file maps each to its public code. */
export type NotifierRefusal =
  | "INVALID_REQUEST"
  | "RECORD_NOT_FOUND"
  | "ACCESS_FORBIDDEN"
  | "STATE_NOT_REACHABLE";

/** Returns the result of a rule. If the result is a refusal, throws the RPC error for it. */
export const orThrow = orThrowBy<NotifierRefusal>(publicRefusals);
