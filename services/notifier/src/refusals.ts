import { orThrowBy, publicRefusals } from "@disburse/chassis/rpc/refusal.ts";

/** Every expected refusal of the notifier, mapped to its code in one place. */
export type NotifierRefusal =
  | "INVALID_REQUEST"
  | "RECORD_NOT_FOUND"
  | "ACCESS_FORBIDDEN"
  | "STATE_NOT_REACHABLE";

/** Returns a rule's result, or throws its refusal as the RPC's error. */
export const orThrow = orThrowBy<NotifierRefusal>(publicRefusals);
