import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { idPrefixes } from "@disburse/kernel/id.ts";
import type { Document, Filter } from "mongodb";
import type { OrderDocument, Orders } from "./document.ts";
import { endVersion } from "./store.ts";

/**
 * A hold after a revocation. `lastsMs` is the time for an approval, counted from the order's due
 * time.
 */
export type Hold = {
  readonly stoppedFor: string;
  readonly lastsMs: number;
  /** True if the orders are payouts that wait for balance. They end no later than their wait. */
  readonly isWait?: boolean;
};

/**
 * Computes the expiry of an approval. The time starts when the order is due, or now if the order is
 * already due.
 */
const expiry = (lastsMs: number) => ({
  $add: [{ $max: ["$scheduled_at", "$$NOW"] }, lastsMs],
});

/** Adds the event of a waiting payout's end to a pipeline. Other orders have none. */
const endEvent = (isWait: boolean) =>
  isWait
    ? { "balance.pending_versions": { $concatArrays: ["$balance.pending_versions", [endVersion]] } }
    : {};

/** The number of holds. An order is held again if its approver loses access too. */
const times = { $add: [{ $ifNull: ["$held.times", 0] }, 1] };
/** The id of a hold's event. */
const eventOf = (prefix: string) => ({
  $concat: [
    ...[idPrefixes.event, { $substrBytes: ["$_id", prefix.length, -1] }],
    ...["_held", { $toString: times }],
  ],
});

/**
 * Holds waiting scheduled payouts, or payouts that wait for balance. The same write removes each
 * order's lease, so a worker that has read the order can't bind a quote to it.
 */
export async function holdOrders(
  orders: Orders,
  filter: Filter<OrderDocument>,
  { stoppedFor, lastsMs, isWait = false }: Hold,
  /**
   * True if the order's quote has expired permanently. The next quote then counts as another
   * attempt.
   */
  hasExpiredQuote = false,
): Promise<void> {
  const decided = expiry(lastsMs);
  const expires_at = isWait ? { $min: [decided, "$balance.expires_at"] } : decided;
  await orders.updateMany({ ...filter, state: "waiting" }, [
    {
      $set: {
        state: "awaiting_approval",
        held: { at: "$$NOW", expires_at, times },
        due_at: expires_at,
        stopped_for: { $literal: stoppedFor },
        pending_event: eventOf(isWait ? idPrefixes.payout : idPrefixes.scheduledPayout),
        updated_at: "$$NOW",
        ...(hasExpiredQuote && { attempt: { $add: ["$attempt", 1] } }),
      },
    },
    { $unset: ["lease", "approval", "balance.in_line", ...(hasExpiredQuote ? ["quote"] : [])] },
  ] as Document[]);
}

/**
 * Writes a decision if the order has not been held again and its approval has not expired by the
 * database's clock.
 */
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

/** Approves a held order, which executes when it is due. */
export function setApproved(orders: Orders, order: OrderDocument, by: Change) {
  const place =
    order.balance === undefined
      ? { due_at: "$scheduled_at" }
      : { due_at: "$balance.expires_at", "balance.in_line": true };
  return decide(orders, order, { state: "waiting", approval: decision(by), ...place });
}

/** Cancels a held order for the actor that rejects it. */
export function setRejected(orders: Orders, order: OrderDocument, reason: string, by: Change) {
  const rejection = { ...decision(by), reason: { $literal: reason } };
  const cancelled = { state: "cancelled", rejection, due_at: "$$REMOVE" };
  return decide(orders, order, { ...cancelled, ...endEvent(order.balance !== undefined) });
}

/** Fails held orders whose approval has expired by the database's clock. */
export async function expireHeld(orders: Orders, now: Date, isWait = false): Promise<void> {
  const due = { due_at: { $lte: now }, state: "awaiting_approval" as const };
  // Usually no order is due, and this read avoids a write.
  if ((await orders.findOne(due, { projection: { _id: 1 } })) === null) return;
  await orders.updateMany({ ...due, $expr: { $lte: ["$due_at", "$$NOW"] } }, [
    {
      $set: {
        state: "failed",
        failure: "APPROVAL_EXPIRED",
        updated_at: "$$NOW",
        ...endEvent(isWait),
      },
    },
    { $unset: "due_at" },
  ]);
}
