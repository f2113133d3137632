import { Code, ConnectError } from "@connectrpc/connect";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { payoutIdOf } from "../payouts/rules/payout.ts";
import { findPayout } from "../payouts/store.ts";
import { type CancelDeps, cancelPayout } from "../rails/cancel.ts";
import { type OrderDocument, type Orders, toOrder } from "./document.ts";
import { endQuote, type OrderDeps } from "./execute-order.ts";
import { setApproved, setRejected } from "./held-store.ts";
import { decidable } from "./rules/order.ts";
import { findOrder, setCancelled } from "./store.ts";

/** The held order that another actor decides on. */
type Asked = { readonly id: string; readonly merchantId: string };

type Decided =
  | OrderDocument
  | Refused<"RECORD_NOT_FOUND" | "NOT_AWAITING_APPROVAL" | "ACCESS_FORBIDDEN">;

const expired = refused(
  "NOT_AWAITING_APPROVAL",
  "The approval of this scheduled payout has expired.",
);

/**
 * Lets a held order go on as it was ordered. Its merchant's approval rules judge the payout when it
 * is made, as they do of any other.
 */
export function approveOrder(orders: Orders, asked: Asked, by: Change): Promise<Decided> {
  return decide(orders, asked, by, (order) => setApproved(orders, order, by));
}

/** Cancels a held order, and keeps why. */
export function rejectOrder(
  orders: Orders,
  { reason, ...asked }: Asked & { readonly reason: string },
  by: Change,
): Promise<Decided> {
  return decide(orders, asked, by, (order) => setRejected(orders, order, reason, by));
}

/** One write of the document decides between decisions, cancellations and the expiry. */
async function decide(
  orders: Orders,
  { id, merchantId }: Asked,
  by: Change,
  write: (order: OrderDocument) => Promise<void>,
): Promise<Decided> {
  const read = () => findOrder(orders, id, { merchant_id: merchantId });
  const before = await read();
  if (before === undefined) return refused("RECORD_NOT_FOUND");
  const may = mayDecide(before, by);
  if (isRefused(may)) return may;
  if (may === "decide") await write(before);
  const after = (await read()) ?? before;
  const outcome = mayDecide(after, by);
  if (outcome !== "decide") return isRefused(outcome) ? outcome : after;
  if (after.held?.times !== before.held?.times) {
    throw new ConnectError("the order was held again meanwhile", Code.Unavailable);
  }
  // It is undecided still: it has expired, and is not failed yet.
  return expired;
}

function mayDecide({ state, actor: maker, approval, rejection }: OrderDocument, by: Change) {
  const decidedBy = (approval ?? rejection)?.operation_id;
  return decidable({ state, maker, decidedBy }, by);
}

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
