import type { EnumName } from "@disburse/chassis/enum-names.ts";
import type { RevokedOrders } from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Filter } from "mongodb";
import type { BatchDocument, Batches } from "../batches/document.ts";
import { holdBatches, takeLinesBack, unended } from "../batches/held-store.ts";
import { cancelBatch } from "../batches/store.ts";
import { lastsDefaultSeconds } from "../controls/rules/approval.ts";
import type { PayoutControls } from "../controls/store.ts";
import { type OrderDocument, type Orders, toOrder } from "../orders/document.ts";
import { endQuote, type OrderDeps } from "../orders/execute-order.ts";
import { type Hold, holdOrders } from "../orders/held-store.ts";
import { cancelStopped, openStates, unbindQuote } from "../orders/store.ts";

export type StopDeps = Pick<OrderDeps, "orders" | "quote"> & {
  readonly batches: Batches;
  readonly lines: Orders;
  /** Payouts that wait for balance. */
  readonly waiting: Orders;
  readonly controls: Pick<PayoutControls, "of">;
  readonly clock: Clock;
  /** Makes the runner finish cancelled batches at once. */
  readonly wakeRunner: () => void;
};

/** The revoked key or removed member, with the keys that it created. */
export type Stopped = {
  readonly merchantId: string;
  readonly actorId: string;
  /** The keys that the actor created. Some may still be valid. */
  readonly createdIds: readonly string[];
  /**
   * Orders of the created keys are only affected if they were created before this time.
   * `undefined`: no limit.
   */
  readonly createdBefore: Date | undefined;
};

export type Disposition = EnumName<typeof RevokedOrders>;

/**
 * Holds or cancels the unpaid orders of an actor and of the keys that the actor created. Orders
 * that they only approved are held, because the maker still has access. Each document changes in
 * one write, so a repeated call completes the work after a crash.
 */
export async function stopOrders(
  deps: StopDeps,
  stopped: Stopped,
  disposition: Disposition,
): Promise<void> {
  if (disposition === "keep") return;
  const { merchantId, actorId, createdIds, createdBefore } = stopped;
  const lastsMs = deps.controls.of(merchantId)?.approval?.lastsMs ?? lastsDefaultSeconds * 1_000;
  const hold = { stoppedFor: actorId, lastsMs };
  const early = createdBefore === undefined ? {} : { created_at: { $lt: createdBefore } };
  const makers = [[actorId, {}] as const, [{ $in: [...createdIds] }, early] as const];
  for (const [maker, made] of makers) {
    const own = { merchant_id: merchantId, "actor.id": maker, ...made };
    const approved = { merchant_id: merchantId, "approval.actor.id": maker, ...made };
    if (disposition === "cancel") {
      await cancelOwn(deps, own, actorId);
    } else {
      // An order that another actor has approved in the meantime stays approved.
      await holdWaiting(deps, { ...own, approval: { $exists: false } }, hold);
      await holdBatches(deps.batches, { ...own, held: { $exists: false } }, hold);
    }
    await holdWaiting(deps, approved, hold);
    await holdBatches(deps.batches, approved, hold);
  }
  await takeBack(deps, stopped);
}

const isBegun = { "balance.preparing": { $exists: false } };

type Selected = Filter<OrderDocument> & Filter<BatchDocument>;

async function holdWaiting(deps: StopDeps, filter: Selected, hold: Hold): Promise<void> {
  // One that begins to wait is held by the repeat of this call.
  const open = { ...filter, state: "waiting", ...isBegun } as Filter<OrderDocument>;
  const held = [
    [deps.orders, hold],
    [deps.waiting, { ...hold, isWait: true }],
  ] as const;
  for (const [orders, how] of held) {
    await endOpen(deps, orders, open, (which, hasExpiredQuote) =>
      holdOrders(orders, which, how, hasExpiredQuote),
    );
  }
}

/** Cancels the actor's own orders. */
async function cancelOwn(deps: StopDeps, own: Selected, actorId: string): Promise<void> {
  const { orders, batches, lines, waiting } = deps;
  const cancelOpen = (where: Orders, which: Filter<OrderDocument>, isWait = false) => {
    const open = { ...which, state: { $in: [...openStates] } } as Filter<OrderDocument>;
    return endOpen(deps, where, open, (each) => cancelStopped(where, each, actorId, isWait));
  };
  await cancelOpen(orders, own);
  await cancelOpen(waiting, { ...own, ...isBegun } as Filter<OrderDocument>, true);
  const open = { ...own, ...unended, state: { $in: ["awaiting_approval", "running"] as const } };
  await batches.updateMany(open as Filter<BatchDocument>, { $set: { stopped_for: actorId } });
  // Also finds batches that an earlier call marked before a crash and that still have waiting
  // lines.
  const marked = {
    ...own,
    stopped_for: actorId,
    state: { $ne: "finished" },
    expired_at: { $exists: false },
  };
  const found = batches.find(marked as Filter<BatchDocument>, { projection: { _id: 1 } });
  for (const { _id } of await found.toArray()) {
    await cancelBatch(batches, lines, _id);
    await cancelOpen(lines, { batch_id: _id });
  }
  deps.wakeRunner();
}

/**
 * Calls `end` for all open orders of a filter. For an order without a quote it does so at once; for
 * others, after the quote has expired permanently. An order whose quote is claimed continues. Each
 * round also finds the changes that workers made during the previous round.
 */
async function endOpen(
  deps: Pick<StopDeps, "quote">,
  orders: Orders,
  open: Filter<OrderDocument>,
  end: (which: Filter<OrderDocument>, hasExpiredQuote: boolean) => Promise<void>,
): Promise<void> {
  const claimed: string[] = [];
  for (;;) {
    await end({ ...open, quote: { $exists: false } }, false);
    const left = await orders.find({ ...open, _id: { $nin: claimed } }).toArray();
    if (left.length === 0) return;
    for (const order of left.map(toOrder)) {
      const { id, quote } = order;
      if (quote === undefined) continue;
      if (!(await endQuote(deps, order, quote))) claimed.push(id);
      else await end({ ...open, _id: id, "quote.id": quote.id }, true);
    }
  }
}

/**
 * Removes the leases and unused quotes from the lines of held batches, so that runners that have
 * read the lines can't execute them.
 */
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

/**
 * Finds waiting orders with a quote. These are few, because a quote is soon executed or expires.
 */
async function quotedOrders(orders: Orders, filter: Filter<OrderDocument>) {
  const quoted = { ...filter, state: "waiting", quote: { $exists: true } } as Filter<OrderDocument>;
  const found = await orders.find(quoted).toArray();
  return found.flatMap((document) => {
    const order = toOrder(document);
    return order.quote === undefined ? [] : [{ document, order, quote: order.quote }];
  });
}
