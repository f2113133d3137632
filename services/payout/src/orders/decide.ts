import { Code, ConnectError } from "@connectrpc/connect";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { isRefused, type Refused, refused, refusedInState } from "@disburse/kernel/refusal.ts";
import { approvalExpired, otherDigest } from "../payouts/rules/approval.ts";
import { payoutIdOf } from "../payouts/rules/payout.ts";
import { findPayout } from "../payouts/store.ts";
import { type CancelDeps, cancelPayout } from "../rails/cancel.ts";
import { approvalDigest, type OrderDocument, type Orders, toOrder } from "./document.ts";
import { endQuote, type OrderDeps } from "./execute-order.ts";
import { setApproved, setRejected } from "./held-store.ts";
import { decidable, type Order } from "./rules/order.ts";
import { findOrder, setCancelled } from "./store.ts";

type OrderRef = { readonly id: string; readonly merchantId: string };

/** Names a record by its kind: a payout that waits for balance, or a scheduled one. */
const recordOf = ({ wait }: Pick<Order, "wait">) =>
  wait === undefined ? "scheduled payout" : "payout";

function failed(order: Order) {
  const open = `${order.wait === undefined ? "scheduled" : "awaiting_balance"} or awaiting_approval`;
  return refusedInState("NOT_CANCELLABLE", recordOf(order), "failed", open);
}

type Decided =
  | OrderDocument
  | Refused<
      "RECORD_NOT_FOUND" | "NOT_AWAITING_APPROVAL" | "ACCESS_FORBIDDEN" | "STATE_NOT_REACHABLE"
    >;

/**
 * Approves a held order with its original terms. When its payout is created, the merchant's
 * approval rules apply to the payout as to any other.
 */
export function approveOrder(
  orders: Orders,
  { digest, ...own }: OrderRef & { readonly digest: string },
  by: Change,
): Promise<Decided> {
  return decide(orders, own, by, async (order) => {
    const other = otherDigest(recordOf(toOrder(order)), approvalDigest(order), digest);
    if (other !== undefined) return other;
    await setApproved(orders, order, by);
    return undefined;
  });
}

/** Cancels a held order and stores the reason. */
export function rejectOrder(
  orders: Orders,
  { reason, ...own }: OrderRef & { readonly reason: string },
  by: Change,
): Promise<Decided> {
  return decide(orders, own, by, async (order) => {
    await setRejected(orders, order, reason, by);
    return undefined;
  });
}

/**
 * Writes a decision. Every decision, cancellation and expiry writes the order's document, so only
 * one of them takes effect.
 */
async function decide(
  orders: Orders,
  { id, merchantId }: OrderRef,
  by: Change,
  write: (order: OrderDocument) => Promise<Refused<"STATE_NOT_REACHABLE"> | undefined>,
): Promise<Decided> {
  const read = () => findOrder(orders, id, { merchant_id: merchantId });
  const before = await read();
  if (before === undefined || toOrder(before).wait?.isPreparing === true) {
    return refused("RECORD_NOT_FOUND");
  }
  const may = mayDecide(before, by);
  if (isRefused(may)) return may;
  const refusal = may === "decide" ? await write(before) : undefined;
  if (refusal !== undefined) return refusal;
  const after = (await read()) ?? before;
  const outcome = mayDecide(after, by);
  if (outcome !== "decide") return isRefused(outcome) ? outcome : after;
  if (after.held?.times !== before.held?.times) {
    throw new ConnectError(
      "the payout was held for approval again in the meantime: repeat the request",
      Code.Unavailable,
    );
  }
  // The order is still undecided. Its approval has expired, but the sweep has not failed the order
  // yet.
  return approvalExpired(recordOf(toOrder(after)));
}

function mayDecide(order: OrderDocument, by: Change) {
  const { state, actor: maker, approval, rejection, balance } = order;
  const decidedBy = (approval ?? rejection)?.operation_id;
  return decidable({ state, maker, decidedBy, isWait: balance !== undefined }, by);
}

export type CancelOrderDeps = CancelDeps & Pick<OrderDeps, "orders" | "quote">;

/**
 * Cancels an order. An order without a quote is cancelled in its own document. If it has a quote,
 * the quote is expired first. If the order has a payout, that payout is cancelled as if the
 * merchant had asked for it.
 */
export async function cancelOrder(
  deps: CancelOrderDeps,
  own: { readonly id: string; readonly merchantId: string },
  by: Change,
): Promise<OrderDocument | Refused<"RECORD_NOT_FOUND" | "NOT_CANCELLABLE">> {
  const { orders } = deps;
  for (;;) {
    // Each round reads the order again, because the previous round or a concurrent writer may have
    // changed it.
    const document = await findOrder(orders, own.id, { merchant_id: own.merchantId });
    if (document === undefined) return refused("RECORD_NOT_FOUND");
    const order = toOrder(document);
    if (order.wait?.isPreparing === true) return refused("RECORD_NOT_FOUND");
    if (order.state === "cancelled") return document;
    if (order.state === "failed") return failed(order);
    if (order.state === "executed") {
      const payout = await cancelPayout(deps, { ...own, payoutId: order.payoutId }, by);
      return isRefused(payout) ? payout : document;
    }
    const { quote } = order;
    // A held order has no quote.
    if (quote === undefined || (await endQuote(deps, order, quote))) {
      await setCancelled(orders, order);
      continue;
    }
    const payoutId = order.wait === undefined ? payoutIdOf({ quoteId: quote.id }) : order.id;
    if ((await findPayout(deps.payouts, payoutId)) === undefined) {
      throw new ConnectError("the payout is being created: repeat the request", Code.Unavailable);
    }
    const payout = await cancelPayout(deps, { ...own, payoutId }, by);
    return isRefused(payout) ? payout : document;
  }
}
