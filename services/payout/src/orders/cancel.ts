import { Code, ConnectError } from "@connectrpc/connect";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { payoutIdOf } from "../payouts/rules/payout.ts";
import { findPayout } from "../payouts/store.ts";
import { type CancelDeps, cancelPayout } from "../rails/cancel.ts";
import { type OrderDocument, toOrder } from "./document.ts";
import { endQuote, type OrderDeps } from "./execute-order.ts";
import { findOrder, setCancelled } from "./store.ts";

/** What cancelling orders works with. */
export type CancelOrderDeps = CancelDeps & Pick<OrderDeps, "orders" | "quote">;

/**
 * Cancels an order: while it waits by its own document, or by the one of its quote where it has
 * one; afterwards its payout, as the merchant could.
 */
export async function cancelOrder(
  deps: CancelOrderDeps,
  own: { readonly id: string; readonly merchantId: string },
  by: Change,
): Promise<OrderDocument | Refused<"RECORD_NOT_FOUND" | "NOT_CANCELLABLE">> {
  const { orders } = deps;
  for (;;) {
    // Each round finds what the one before has written, or who was faster.
    const document = await findOrder(orders, own.id, { merchant_id: own.merchantId });
    if (document === undefined) return refused("RECORD_NOT_FOUND");
    const order = toOrder(document);
    if (order.state === "cancelled") return document;
    if (order.state === "failed") return refused("NOT_CANCELLABLE");
    if (order.state === "executed") {
      const payout = await cancelPayout(deps, { ...own, payoutId: order.payoutId }, by);
      return isRefused(payout) ? payout : document;
    }
    const { quote } = order;
    // One that is held has none.
    if (quote === undefined || (await endQuote(deps, order, quote))) {
      await setCancelled(orders, order);
      continue;
    }
    const payoutId = payoutIdOf(quote.id);
    if ((await findPayout(deps.payouts, payoutId)) === undefined) {
      throw new ConnectError("the payout is being made", Code.Unavailable);
    }
    const payout = await cancelPayout(deps, { ...own, payoutId }, by);
    return isRefused(payout) ? payout : document;
  }
}
