import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { idPrefixes } from "@disburse/kernel/id.ts";
import type { Document, Filter } from "mongodb";
import type { OrderDocument, Orders } from "./document.ts";

/** A revocation's hold on orders; `lastsMs`: approval time after their own time. */
export type Hold = { readonly stoppedFor: string; readonly lastsMs: number };

/** The time of an order, or now where that is past, and then the time of approvals. */
const expiry = (lastsMs: number) => ({
  $add: [{ $max: ["$scheduled_at", "$$NOW"] }, lastsMs],
});

/** Orders are held again where the one who had approved them loses the right to. */
const times = { $add: [{ $ifNull: ["$held.times", 0] }, 1] };
const eventOf = {
  $concat: [
    ...[idPrefixes.event, { $substrBytes: ["$_id", idPrefixes.scheduledPayout.length, -1] }],
    ...["_held", { $toString: times }],
  ],
};

/**
 * Holds scheduled payouts that wait: in one write of each document, which takes the lease too, so
 * that no worker binds a quote that has read it before.
 */
export async function holdOrders(
  orders: Orders,
  filter: Filter<OrderDocument>,
  { stoppedFor, lastsMs }: Hold,
  /** The quote of the order is expired for ever: the next quote is another attempt. */
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
        event_owed: eventOf,
        updated_at: "$$NOW",
        ...(hasExpiredQuote && { attempt: { $add: ["$attempt", 1] } }),
      },
    },
    { $unset: ["lease", "approval", ...(hasExpiredQuote ? ["quote"] : [])] },
  ] as Document[]);
}

/** Decides on an order as it was read, while it awaits approval by the database's clock. */
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

/** Lets a held order be made when its time has come. */
export function setApproved(orders: Orders, order: OrderDocument, by: Change) {
  const approved = { state: "waiting", approval: decision(by), due_at: "$scheduled_at" };
  return decide(orders, order, approved);
}

/** Cancels a held order, for who rejects it. */
export function setRejected(orders: Orders, order: OrderDocument, reason: string, by: Change) {
  const rejection = { ...decision(by), reason: { $literal: reason } };
  return decide(orders, order, { state: "cancelled", rejection, due_at: "$$REMOVE" });
}

/** Fails held orders on which no one has decided in time, by the database's clock. */
export async function expireHeld(orders: Orders, now: Date): Promise<void> {
  const due = { due_at: { $lte: now }, state: "awaiting_approval" as const };
  // Nothing is written where nothing is due, which is nearly always.
  if ((await orders.findOne(due, { projection: { _id: 1 } })) === null) return;
  await orders.updateMany({ ...due, $expr: { $lte: ["$due_at", "$$NOW"] } }, [
    { $set: { state: "failed", failure: "APPROVAL_EXPIRED", updated_at: "$$NOW" } },
    { $unset: "due_at" },
  ]);
}
