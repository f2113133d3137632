import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { idPrefixes } from "@disburse/kernel/id.ts";
import type { Document, Filter } from "mongodb";
import type { OrderDocument, Orders } from "./document.ts";

/** A hold after a revocation. `lastsMs`: the time for an approval after the order is due. */
export type Hold = { readonly stoppedFor: string; readonly lastsMs: number };

/** The time for approvals starts when the order is due, or now if that is past. */
const expiry = (lastsMs: number) => ({
  $add: [{ $max: ["$scheduled_at", "$$NOW"] }, lastsMs],
});

/** An order is held again if its approver loses access. */
const times = { $add: [{ $ifNull: ["$held.times", 0] }, 1] };
const eventOf = {
  $concat: [
    ...[idPrefixes.event, { $substrBytes: ["$_id", idPrefixes.scheduledPayout.length, -1] }],
    ...["_held", { $toString: times }],
  ],
};

/**
 * Holds waiting scheduled payouts. One write per document also takes the lease, so a worker that
 * read it earlier can't bind a quote.
 */
export async function holdOrders(
  orders: Orders,
  filter: Filter<OrderDocument>,
  { stoppedFor, lastsMs }: Hold,
  /** The order's quote has expired for good, so the next quote is another attempt. */
  hasExpiredQuote = false,
): Promise<void> {
  const expires_at = expiry(lastsMs);
  await orders.updateMany({ ...filter, state: "waiting" }, [
    {
      $set: {
        state: "awaiting_approval",
        held: { at: "$$NOW", expires_at, times },
        due_at: expires_at,
        stopped_for: { $literal: stoppedFor },
        pending_event: eventOf,
        updated_at: "$$NOW",
        ...(hasExpiredQuote && { attempt: { $add: ["$attempt", 1] } }),
      },
    },
    { $unset: ["lease", "approval", ...(hasExpiredQuote ? ["quote"] : [])] },
  ] as Document[]);
}

/** Decides on an unchanged order while it awaits approval by the database's clock. */
async function decide(orders: Orders, { _id, held }: OrderDocument, set: Document) {
  const undecided = {
    _id,
    state: "awaiting_approval",
    "held.times": held?.times,
    $expr: { $lt: ["$$NOW", "$held.expires_at"] },
  } as Filter<OrderDocument>;
  await orders.updateOne(undecided, [{ $set: { ...set, updated_at: "$$NOW" } }]);
}

const decision = ({ operationId, actor }: Change) => ({
  at: "$$NOW",
  operation_id: { $literal: operationId },
  actor: { $literal: actor },
});

/** Lets a held order execute when it is due. */
export function setApproved(orders: Orders, order: OrderDocument, by: Change) {
  const approved = { state: "waiting", approval: decision(by), due_at: "$scheduled_at" };
  return decide(orders, order, approved);
}

/** Cancels a held order for the actor that rejects it. */
export function setRejected(orders: Orders, order: OrderDocument, reason: string, by: Change) {
  const rejection = { ...decision(by), reason: { $literal: reason } };
  return decide(orders, order, { state: "cancelled", rejection, due_at: "$$REMOVE" });
}

/** Fails held orders whose approval has expired by the database's clock. */
export async function expireHeld(orders: Orders, now: Date): Promise<void> {
  const due = { due_at: { $lte: now }, state: "awaiting_approval" as const };
  // Avoids a write in the usual case that nothing is due.
  if ((await orders.findOne(due, { projection: { _id: 1 } })) === null) return;
  await orders.updateMany({ ...due, $expr: { $lte: ["$due_at", "$$NOW"] } }, [
    { $set: { state: "failed", failure: "APPROVAL_EXPIRED", updated_at: "$$NOW" } },
    { $unset: "due_at" },
  ]);
}
