import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { Document, Filter, UpdateFilter } from "mongodb";
import type { GivenApproval } from "../payouts/rules/approval.ts";
import { type OrderDocument, type Orders, toOrder } from "./document.ts";
import type { Order, OrderFailure, OrderQuote } from "./rules/order.ts";

/**
 * An order and its lease. The lease allows this worker to bind a quote until another worker leases
 * the order.
 */
export type LeasedOrder = {
  readonly order: Order;
  readonly document: OrderDocument;
  readonly lease: string;
  /** The time when the order was due. */
  readonly dueAt: Date;
  /** The part of the batch's approved total that is left. Lines of a batch share it. */
  readonly budget?: Budget;
  /**
   * Called with the price of a line that waits for balance. Absent if a line with too little money
   * fails.
   */
  readonly onShort?: ((price: bigint) => void) | undefined;
  /** The approval of the order's batch. Absent if the batch's maker approved it. */
  readonly given?: GivenApproval | undefined;
};

/** A limit for the total cost of several orders. */
export type Budget = {
  /** Reserves the cost of a quote. Returns `false` if the cost exceeds the remaining amount. */
  readonly take: (cost: bigint) => boolean;
  /** Releases the reserved cost of a quote that got no payout. */
  readonly giveBack: (cost: bigint) => void;
};

/** The maximum number of due orders that one poll tries to lease. */
const candidatesMax = 16;

/**
 * Leases an order that is due by the database's clock, or returns `undefined`. `now` only selects
 * the candidates.
 */
export async function leaseDueOrder(
  orders: Orders,
  now: Date,
  leaseMs: number,
  noted: Document = {},
): Promise<LeasedOrder | undefined> {
  const due = await orders
    .find({ due_at: { $lte: now }, state: "waiting" }, { projection: { _id: 1 } })
    .sort({ due_at: 1 })
    .limit(candidatesMax)
    .toArray();
  const lease = crypto.randomUUID();
  for (const { _id } of due) {
    const isDue = { _id, state: "waiting" as const, $expr: { $lte: ["$due_at", "$$NOW"] } };
    const leased = await takeLease(orders, isDue, { lease, leaseMs, noted });
    if (leased !== undefined) return leased;
  }
  return undefined;
}

/**
 * Leases the order that a filter matches, or returns `undefined`. `noted` are further fields that
 * the lease sets.
 */
export async function takeLease(
  orders: Orders,
  filter: Filter<OrderDocument>,
  { lease, leaseMs, noted }: { lease: string; leaseMs: number; noted: Document },
): Promise<LeasedOrder | undefined> {
  const leased = { lease, due_at: { $add: ["$$NOW", leaseMs] }, ...noted };
  const document = await orders.findOneAndUpdate(filter, [{ $set: leased }], {
    returnDocument: "after",
  });
  if (document === null) return undefined;
  return { order: toOrder(document), document, lease, dueAt: dueSince(document) };
}

/**
 * Returns the time at which an order became due. For an approved order, this is never before its
 * approval.
 */
function dueSince({ scheduled_at, created_at, approval }: OrderDocument): Date {
  const at = scheduled_at ?? created_at;
  return approval !== undefined && approval.at > at ? approval.at : at;
}

/**
 * Matches a waiting order that has not changed. With a quote, it must still have the same quote.
 * Without one, it must still have this lease.
 */
export function unchanged({
  order,
  lease,
}: Pick<LeasedOrder, "order" | "lease">): Filter<OrderDocument> {
  const waiting = { _id: order.id, state: "waiting" } as const;
  const { quote } = order;
  return quote === undefined
    ? { ...waiting, quote: { $exists: false }, lease }
    : { ...waiting, "quote.id": quote.id };
}

/** Changes a waiting order. Returns `false` if it has changed since it was read. */
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

const over = { due_at: "", lease: "", "balance.in_line": "" } as const;

/**
 * Binds a quote to an order. From then on the quote decides whether the order gets a payout.
 * Returns `false` if another worker has leased the order.
 */
export function bindQuote(orders: Orders, leased: LeasedOrder, quote: OrderQuote) {
  const { id, source, receiving } = quote;
  const stored = {
    id,
    source_minor: toDecimal128(source),
    receiving_minor: toDecimal128(receiving),
  };
  return change(orders, unchanged(leased), { $set: { quote: stored } });
}

/**
 * Unbinds a quote so that the order can get another one. Call this only after the bound quote has
 * expired permanently.
 */
export function unbindQuote(orders: Orders, leased: Pick<LeasedOrder, "order" | "lease">) {
  return change(orders, unchanged(leased), { $unset: { quote: "" }, $inc: { attempt: 1 } });
}

export function setExecuted(
  orders: Orders,
  { order }: Pick<LeasedOrder, "order">,
  payoutId: string,
) {
  const waiting = { _id: order.id, state: "waiting" } as const;
  return change(orders, waiting, {
    $set: { state: "executed", payout_id: payoutId },
    $unset: { ...over, "balance.listed": "" },
  });
}

/**
 * Fails an order. Call this only if the order can get no payout: it has no quote, or its quote has
 * expired permanently.
 */
export function setFailed(
  orders: Orders,
  leased: LeasedOrder,
  failure: OrderFailure,
  detail: string | undefined,
) {
  return change(orders, unchanged(leased), {
    $set: { state: "failed", failure, ...(detail !== undefined && { failure_detail: detail }) },
    $unset: over,
    ...(leased.order.wait && endEvent),
  });
}

/**
 * Cancels an order. Call this only if the order has no quote, or its quote has expired permanently.
 * An order without a quote needs no lease here: a worker can bind a quote only to a waiting order.
 */
export function setCancelled(orders: Orders, order: Order) {
  const { quote } = order;
  const open = { _id: order.id, state: { $in: [...openStates] } };
  const asRead = quote === undefined ? { quote: { $exists: false } } : { "quote.id": quote.id };
  const cancelled = {
    $set: { state: "cancelled" as const },
    $unset: over,
    ...(order.wait && endEvent),
  };
  return change(orders, { ...open, ...asRead }, cancelled);
}

/** The version of a waiting payout that ended without having been paid. */
export const endVersion = 2;

/** Adds the event of a waiting payout's end. Other orders have none. */
const endEvent: UpdateFilter<OrderDocument> = {
  $push: { "balance.pending_versions": endVersion },
};

/** Cancels several orders for a revoked key or a removed member. */
export async function cancelStopped(
  orders: Orders,
  open: Filter<OrderDocument>,
  stoppedFor: string,
  isWait = false,
): Promise<void> {
  await orders.updateMany(open, {
    $set: { state: "cancelled", stopped_for: stoppedFor },
    $unset: over,
    $currentDate: { updated_at: true },
    ...(isWait && endEvent),
  });
}

/** The states of orders that may still become payouts. */
export const openStates = ["waiting", "awaiting_approval"] as const;

/** Postpones an order's next check by `ms`, by the database's clock. */
export async function defer(orders: Orders, { order, lease }: LeasedOrder, ms: number) {
  const due_at = { $add: ["$$NOW", ms] };
  await orders.updateOne({ _id: order.id, state: "waiting", lease }, [{ $set: { due_at } }]);
}

/**
 * Finds an order by id. If `own.merchant_id` is set, the order must belong to that merchant. An
 * order whose money is not reserved yet doesn't exist for its merchant.
 */
export async function findOrder(
  orders: Orders,
  id: string,
  own: { merchant_id?: string } = {},
): Promise<OrderDocument | undefined> {
  const found = await orders.findOne({ _id: id, ...own });
  return found === null || found.state === "reserving" ? undefined : found;
}
