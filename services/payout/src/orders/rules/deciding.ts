import { type Refused, refused, refusedBecause } from "@disburse/kernel/refusal.ts";
import { isSameActor, type Who } from "../../payouts/rules/approval.ts";
import type { OrderState } from "./order.ts";

/** An order, who made it, and the operation that decided on it while it was held. */
export type DecidedOrder = {
  readonly state: OrderState["state"];
  readonly maker: Who;
  readonly decidedBy: string | undefined;
};

/** Lets an operation decide on a held order; `done`: it has decided before. */
export function decidable(
  { state, maker, decidedBy }: DecidedOrder,
  { operationId, actor }: { readonly operationId: string; readonly actor: Who },
): "decide" | "done" | Refused<"NOT_AWAITING_APPROVAL" | "ACCESS_FORBIDDEN"> {
  if (decidedBy === operationId) return "done";
  if (state !== "awaiting_approval") {
    return refused("NOT_AWAITING_APPROVAL", "This scheduled payout does not await approval.");
  }
  return isSameActor(maker, actor) ? refusedBecause("ACCESS_FORBIDDEN", "same_actor") : "decide";
}
