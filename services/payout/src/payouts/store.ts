import { currentOrigin, type Origin } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce, insertOrFind, onceByKey } from "@disburse/chassis/mongo/once.ts";
import { toStored } from "@disburse/chassis/mongo/stored.ts";
import { otherContent } from "@disburse/kernel/refusal.ts";
import type { Collection } from "mongodb";
import {
  ifMade,
  isMade,
  type Lease,
  type OrderDocument,
  type PayoutDocument,
  type Payouts,
  payoutDocument,
  toPayout,
} from "./document.ts";
import type { PendingEvent } from "./pending-event.ts";
import { type Payout, type PayoutOrder, payoutIdOf } from "./rules/payout.ts";

/** The payouts; the collection has orders of which none is made yet, too. */
export function openPayouts({ db }: Database): Payouts {
  return db.collection<PayoutDocument>("payouts");
}

/** The same collection, of which documents may be orders still. */
export function ordersIn(payouts: Payouts): Collection<OrderDocument> {
  return payouts as unknown as Collection<OrderDocument>;
}

const isNotMade = { status: { $exists: false } } as const;

/**
 * Stores an order under its payout's id, before money is held for it, unless that payout is made.
 * Until then the last order of a quote stands, of whichever operation: the claim decides. Refused
 * where the operation came with other content or for another quote before.
 */
export async function placeOrder(
  payouts: Payouts,
  order: PayoutOrder,
): Promise<typeof otherContent | undefined> {
  const _id = payoutIdOf(order.quoteId);
  const orders = ordersIn(payouts);
  const placed = { order: toStored(order), ...currentOrigin() };
  if (await insertOnce(orders, { _id, schema_version: 1, ...placed })) return undefined;
  const { operationId, content } = order;
  const isOther = { "order.operation_id": operationId, "order.content": { $ne: content } };
  const replaceable = { _id, ...isNotMade, $nor: [isOther] };
  let isPlaced = false;
  await onceByKey(async () => {
    const { matchedCount } = await orders.updateOne(replaceable, { $set: placed });
    isPlaced = matchedCount === 1;
  });
  if (isPlaced || (await payouts.countDocuments({ _id, ...isMade })) > 0) return undefined;
  return otherContent;
}

/** A payout by its id; of one merchant where `own` names it. */
export async function findPayout(payouts: Payouts, id: string, own: { merchant_id?: string } = {}) {
  const found = ifMade(await payouts.findOne({ _id: id, ...own }));
  return found && toPayout(found);
}

/** A payout that was stored now, with its first event. */
export type Created = {
  readonly payout: Payout;
  readonly origin: Origin;
  /** That of its status first. */
  readonly events: readonly PendingEvent[];
};

/**
 * Makes the payout of its order, with its first event; a repeat answers with the stored one. A
 * claim may have outlived its order, where an older backup was restored.
 */
export async function insertPayout(
  payouts: Payouts,
  payout: Payout,
  lease?: Lease,
): Promise<Created | { readonly payout: Payout; readonly events?: never }> {
  const origin = currentOrigin();
  const document = payoutDocument(payout, origin, lease);
  const { _id, ...fields } = document;
  const made = await payouts.updateOne({ _id, ...isNotMade }, { $set: fields });
  const stored =
    made.matchedCount === 1 ? document : await insertOrFind(payouts, document, { _id });
  if (stored !== document) return { payout: toPayout(stored) };
  return { payout, origin, events: document.outbox };
}
