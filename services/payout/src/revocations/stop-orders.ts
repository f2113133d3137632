import type { WordOf } from "@disburse/chassis/rpc/enum-words.ts";
import type { RevokedOrders } from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Filter } from "mongodb";
import type { BatchDocument, Batches } from "../batches/document.ts";
import { holdBatches, takeLinesBack, unended } from "../batches/held-store.ts";
import { cancelBatch } from "../batches/store.ts";
import { lastsDefaultSeconds } from "../controls/rules/approval.ts";
import type { PayoutControls } from "../controls/settings.ts";
import { type OrderDocument, type Orders, toOrder } from "../orders/document.ts";
import { endQuote, type OrderDeps } from "../orders/execute-order.ts";
import { type Hold, holdOrders } from "../orders/held-store.ts";
import { openStates, setCancelled, unbindQuote } from "../orders/store.ts";

/** What stopping orders works with. */
export type StopDeps = Pick<OrderDeps, "orders" | "quote"> & {
  readonly batches: Batches;
  readonly lines: Orders;
  readonly controls: Pick<PayoutControls, "of">;
  readonly clock: Clock;
  /** Has the runner end what was cancelled. */
  readonly wakeRunner: () => void;
};

/** The key or member that may do nothing any more. */
export type Stopped = {
  readonly merchantId: string;
  readonly actorId: string;
  /** Keys that it created; some may still work. */
  readonly createdIds: readonly string[];
  /** Of the orders of these keys only those made before; `undefined` for all. */
  readonly madeBefore: Date | undefined;
};

/** What happens to its orders. */
export type Disposition = WordOf<typeof RevokedOrders>;

/**
 * Holds or cancels the unpaid orders that an actor and the keys that it created made. Those that
 * they only approved are held: the one who made them has not lost the right to. Each document is
 * changed by one write, so a repeat completes what a crash left.
 */
export async function stopOrders(
  deps: StopDeps,
  stopped: Stopped,
  disposition: Disposition,
): Promise<void> {
  if (disposition === "keep") return;
  const { merchantId, actorId, createdIds, madeBefore } = stopped;
  const lastsMs = deps.controls.of(merchantId)?.approval?.lastsMs ?? lastsDefaultSeconds * 1_000;
  const hold = { stoppedFor: actorId, lastsMs };
  const early = madeBefore === undefined ? {} : { created_at: { $lt: madeBefore } };
  const makers = [[actorId, {}] as const, [{ $in: [...createdIds] }, early] as const];
  for (const [maker, made] of makers) {
    const own = { merchant_id: merchantId, "actor.id": maker, ...made };
    const approved = { merchant_id: merchantId, "approval.actor.id": maker, ...made };
    if (disposition === "cancel") {
      await cancelOwn(deps, own, actorId);
    } else {
      // What another actor has approved meanwhile stays approved.
      await holdWaiting(deps, { ...own, approval: { $exists: false } }, hold);
      await holdBatches(deps.batches, { ...own, held: { $exists: false } }, hold);
    }
    await holdWaiting(deps, approved, hold);
    await holdBatches(deps.batches, approved, hold);
  }
  await takeBack(deps, stopped);
}

type Selected = Filter<OrderDocument> & Filter<BatchDocument>;

/** Holds orders that wait; of one with a quote, that quote decides whether it is paid. */
async function holdWaiting(deps: StopDeps, filter: Selected, hold: Hold): Promise<void> {
  const { orders } = deps;
  await holdOrders(orders, { ...filter, quote: { $exists: false } }, hold);
  for (const { order, quote } of await quotedOrders(orders, filter)) {
    if (!(await endQuote(deps, order, quote))) continue;
    await holdOrders(orders, { ...filter, _id: order.id, "quote.id": quote.id }, hold, true);
  }
}

/** Cancels what an actor made. */
async function cancelOwn(deps: StopDeps, own: Selected, actorId: string): Promise<void> {
  const { orders, batches, lines } = deps;
  const unquoted = { ...own, state: { $in: [...openStates] }, quote: { $exists: false } };
  await orders.updateMany(unquoted as Filter<OrderDocument>, {
    $set: { state: "cancelled", stopped_for: actorId },
    $unset: { due_at: "", lease: "" },
    $currentDate: { updated_at: true },
  });
  for (const { order, quote } of await quotedOrders(orders, own)) {
    if (await endQuote(deps, order, quote)) await setCancelled(orders, order, actorId);
  }
  const open = { ...own, ...unended, state: { $in: ["awaiting_approval", "running"] as const } };
  await batches.updateMany(open as Filter<BatchDocument>, { $set: { stopped_for: actorId } });
  const marked = { ...open, stopped_for: actorId } as Filter<BatchDocument>;
  for (const { _id } of await batches.find(marked, { projection: { _id: 1 } }).toArray()) {
    await cancelBatch(batches, lines, _id);
  }
  deps.wakeRunner();
}

/** Takes the lines of held batches from runners that have read them before. */
async function takeBack(deps: StopDeps, { merchantId, actorId }: Stopped): Promise<void> {
  const held = {
    merchant_id: merchantId,
    stopped_for: actorId,
    state: "awaiting_approval" as const,
  };
  for (const { _id } of await deps.batches.find(held, { projection: { _id: 1 } }).toArray()) {
    await takeLinesBack(deps.lines, _id);
    for (const { order, quote, document } of await quotedOrders(deps.lines, { batch_id: _id })) {
      if (!(await endQuote(deps, order, quote))) continue;
      await unbindQuote(deps.lines, { order, lease: document.lease ?? "" });
      await takeLinesBack(deps.lines, _id);
    }
  }
}

/** Orders that wait with a quote: few, as a quote is executed at once or expires. */
async function quotedOrders(orders: Orders, filter: Filter<OrderDocument>) {
  const quoted = { ...filter, state: "waiting", quote: { $exists: true } } as Filter<OrderDocument>;
  const found = await orders.find(quoted).toArray();
  return found.flatMap((document) => {
    const order = toOrder(document);
    return order.quote === undefined ? [] : [{ document, order, quote: order.quote }];
  });
}
