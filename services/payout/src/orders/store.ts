import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { Filter, UpdateFilter } from "mongodb";
import type { GivenApproval } from "../payouts/rules/approval.ts";
import { type OrderDocument, type Orders, toOrder } from "./document.ts";
import type { Order, OrderFailure, OrderQuote } from "./rules/order.ts";

/** An order with the right to give it a quote, until another worker has leased it. */
export type LeasedOrder = {
  readonly order: Order;
  readonly document: OrderDocument;
  readonly lease: string;
  /** When its time came. */
  readonly dueAt: Date;
  /** What the quotes of its batch may cost together. */
  readonly budget?: Budget;
  /** The approval of its batch, where that is another actor's than the one who made it. */
  readonly given?: GivenApproval | undefined;
};

/** A bound of what several orders cost together. */
export type Budget = {
  /** Takes what a quote costs; `false`: there is not so much left. */
  readonly take: (cost: bigint) => boolean;
  /** Gives back what was taken for a quote of which no payout came. */
  readonly giveBack: (cost: bigint) => void;
};

/** Orders that are looked at together. */
const lookedAt = 16;

/**
 * Leases an order whose time has come by the database's clock: `now` only says which ones are worth
 * a try. `undefined`: there is none.
 */
export async function leaseDueOrder(
  orders: Orders,
  now: Date,
  leaseMs: number,
): Promise<LeasedOrder | undefined> {
  const due = await orders
    .find({ due_at: { $lte: now }, state: "waiting" }, { projection: { _id: 1 } })
    .sort({ due_at: 1 })
    .limit(lookedAt)
    .toArray();
  const lease = crypto.randomUUID();
  for (const { _id } of due) {
    const isDue = { state: "waiting" as const, $expr: { $lte: ["$due_at", "$$NOW"] } };
    const leased = { lease, due_at: { $add: ["$$NOW", leaseMs] } };
    const document = await orders.findOneAndUpdate({ _id, ...isDue }, [{ $set: leased }], {
      returnDocument: "after",
    });
    if (document !== null) {
      return { order: toOrder(document), document, lease, dueAt: dueSince(document) };
    }
  }
  return undefined;
}

/** When an order's time came: that of one that was held not before its approval. */
function dueSince({ scheduled_at, created_at, approval }: OrderDocument): Date {
  const at = scheduled_at ?? created_at;
  return approval !== undefined && approval.at > at ? approval.at : at;
}

/** An order that waits, as it was read: with its quote, or without one and under its lease. */
function unchanged({ order, lease }: Pick<LeasedOrder, "order" | "lease">): Filter<OrderDocument> {
  const waiting = { _id: order.id, state: "waiting" } as const;
  const { quote } = order;
  return quote === undefined
    ? { ...waiting, quote: { $exists: false }, lease }
    : { ...waiting, "quote.id": quote.id };
}

/** Changes an order that waits; `false`: it is not any more as it was read. */
async function change(
  orders: Orders,
  filter: Filter<OrderDocument>,
  update: UpdateFilter<OrderDocument>,
): Promise<boolean> {
  const { matchedCount } = await orders.updateOne(filter, {
    ...update,
    $currentDate: { updated_at: true },
  });
  return matchedCount === 1;
}

const over = { due_at: "", lease: "" } as const;

/** Binds an order to its quote, which decides from then on; `false`: it is another worker's. */
export function bindQuote(orders: Orders, leased: LeasedOrder, quote: OrderQuote) {
  const { id, source, receiving } = quote;
  const stored = {
    id,
    source_minor: toDecimal128(source),
    receiving_minor: toDecimal128(receiving),
  };
  return change(orders, unchanged(leased), { $set: { quote: stored } });
}

/** Lets an order get another quote: only where the present one is expired for ever. */
export function unbindQuote(orders: Orders, leased: Pick<LeasedOrder, "order" | "lease">) {
  return change(orders, unchanged(leased), { $unset: { quote: "" }, $inc: { attempt: 1 } });
}

/** Notes the payout of an order. */
export function setExecuted(
  orders: Orders,
  { order }: Pick<LeasedOrder, "order">,
  payoutId: string,
) {
  const waiting = { _id: order.id, state: "waiting" } as const;
  return change(orders, waiting, {
    $set: { state: "executed", payout_id: payoutId },
    $unset: over,
  });
}

/** Ends an order of which no payout can come: it has no quote, or one that is expired for ever. */
export function setFailed(
  orders: Orders,
  leased: LeasedOrder,
  failure: OrderFailure,
  detail: string | undefined,
) {
  return change(orders, unchanged(leased), {
    $set: { state: "failed", failure, ...(detail !== undefined && { failure_detail: detail }) },
    $unset: over,
  });
}

/**
 * The same by its merchant. Without a quote it needs no lease: who has one can bind no quote to
 * what does not wait.
 */
export function setCancelled(orders: Orders, order: Order) {
  const { quote } = order;
  const open = { _id: order.id, state: { $in: [...openStates] } };
  const asRead = quote === undefined ? { quote: { $exists: false } } : { "quote.id": quote.id };
  return change(orders, { ...open, ...asRead }, { $set: { state: "cancelled" }, $unset: over });
}

/** The same of several orders, for a revoked key or a removed member. */
export async function cancelStopped(
  orders: Orders,
  open: Filter<OrderDocument>,
  stoppedFor: string,
): Promise<void> {
  await orders.updateMany(open, {
    $set: { state: "cancelled", stopped_for: stoppedFor },
    $unset: over,
    $currentDate: { updated_at: true },
  });
}

/** The states of orders of which a payout may still come. */
export const openStates = ["waiting", "awaiting_approval"] as const;

/** Has an order looked at again after a time, by the database's clock. */
export async function defer(orders: Orders, { order, lease }: LeasedOrder, ms: number) {
  const due_at = { $add: ["$$NOW", ms] };
  await orders.updateOne({ _id: order.id, state: "waiting", lease }, [{ $set: { due_at } }]);
}

/** An order by its id; of one merchant where `own` names it. */
export async function findOrder(
  orders: Orders,
  id: string,
  own: { merchant_id?: string } = {},
): Promise<OrderDocument | undefined> {
  return (await orders.findOne({ _id: id, ...own })) ?? undefined;
}
