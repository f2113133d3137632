import { Code, ConnectError } from "@connectrpc/connect";
import { currentOrigin, type Origin } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOnce, insertOrFind, onceByKey } from "@disburse/chassis/mongo/once.ts";
import { fromStored, toStored } from "@disburse/chassis/mongo/stored.ts";
import { otherContent } from "@disburse/kernel/refusal.ts";
import type { Collection } from "mongodb";
import {
  boundOperation,
  ifCreated,
  type Lease,
  type OrderDocument,
  type PayoutDocument,
  type Payouts,
  payoutDocument,
  toPayout,
} from "./document.ts";
import type { PendingEvent } from "./pending-event.ts";
import { type Payout, type PayoutOrder, payoutIdOf } from "./rules/payout.ts";

/** Opens the collection of payouts. It also contains orders without a payout. */
export function openPayouts({ db }: Database): Payouts {
  return db.collection<PayoutDocument>("payouts");
}

/** The same collection, typed to include orders. */
export function ordersIn(payouts: Payouts): Collection<OrderDocument> {
  return payouts as unknown as Collection<OrderDocument>;
}

const isNotCreated = { status: { $exists: false } } as const;

/**
 * The quote's current order. `onlyTry` is set if the quote had no order before; pass it to
 * `removeOrder`.
 */
type Placed = { readonly order: PayoutOrder; readonly onlyTry?: string };

/**
 * The maximum number of operations per order. Only misuse reaches it, and more would fill the
 * document.
 */
const operationsMax = 1_000;

/**
 * Stores an order under its payout's id, before money is held. Until the payout exists, a new order
 * for the quote replaces the previous one, even from another operation; the claim decides. Returns
 * the stored order, or the order of the existing payout. Refuses an operation that was used with
 * different content or for another quote.
 */
export async function placeOrder(
  payouts: Payouts,
  order: PayoutOrder,
): Promise<Placed | typeof otherContent> {
  const _id = payoutIdOf(order);
  const orders = ordersIn(payouts);
  const placed = { order: toStored(order), ...currentOrigin() };
  const operation = boundOperation(order);
  const onlyTry = crypto.randomUUID();
  const first = { _id, schema_version: 1, ...placed, operations: [operation], only_try: onlyTry };
  if (await insertOnce(orders, first)) return { order, onlyTry };
  const isOther = { id: operation.id, content: { $ne: operation.content } };
  const replaceable = { _id, ...isNotCreated, operations: { $not: { $elemMatch: isOther } } };
  let isPlaced = false;
  await onceByKey(async () => {
    const { matchedCount } = await orders.updateOne(
      { ...replaceable, [`operations.${operationsMax}`]: { $exists: false } },
      { $set: placed, $addToSet: { operations: operation }, $unset: { only_try: "" } },
    );
    isPlaced = matchedCount === 1;
  });
  if (isPlaced) return { order };
  const found = await orders.findOne({ _id });
  if (found !== null && "status" in found) {
    return { order: fromStored<PayoutOrder>(found.order) };
  }
  if ((found?.operations.length ?? 0) > operationsMax) {
    throw new ConnectError(
      "too many different operations requested a payout of this quote",
      Code.ResourceExhausted,
    );
  }
  return otherContent;
}

/**
 * Removes an order whose hold was refused, so that its operation can be used again. Keeps the order
 * if another attempt relies on it, because that attempt may hold money for it. The caller must not
 * hold money afterwards.
 */
export async function removeOrder(
  payouts: Payouts,
  order: PayoutOrder,
  onlyTry: string,
): Promise<void> {
  const _id = payoutIdOf(order);
  await ordersIn(payouts).deleteOne({ _id, ...isNotCreated, only_try: onlyTry });
}

/**
 * Frees the operation of an order whose claim was refused, under the conditions of `removeOrder`.
 * Keeps the order: a later order for the quote is then not its first one, and the ledger is searched
 * for the hold and the release of this one.
 */
export async function freeOperation(
  payouts: Payouts,
  order: PayoutOrder,
  onlyTry: string,
): Promise<void> {
  const _id = payoutIdOf(order);
  // The index of operations is unique, so each order needs one. No operation has a payout's id.
  const none = { id: _id, content: "" };
  await ordersIn(payouts).updateOne(
    { _id, ...isNotCreated, only_try: onlyTry },
    { $set: { operations: [none] }, $unset: { only_try: "" } },
  );
}

/** Finds a payout by id. If `own.merchant_id` is set, the payout must belong to that merchant. */
export async function findPayout(payouts: Payouts, id: string, own: { merchant_id?: string } = {}) {
  const found = ifCreated(await payouts.findOne({ _id: id, ...own }));
  return found && toPayout(found);
}

/** A payout that was just stored, with its first events. */
export type Created = {
  readonly payout: Payout;
  readonly origin: Origin;
  /** The event of the payout's status comes first. */
  readonly events: readonly PendingEvent[];
};

/**
 * Creates a payout and its first event in the order's document. A repeat returns the stored payout.
 * If a restored backup has lost the order, this inserts a new document.
 */
export async function insertPayout(
  payouts: Payouts,
  payout: Payout,
  lease?: Lease,
): Promise<Created | { readonly payout: Payout; readonly events?: never }> {
  const origin = currentOrigin();
  const document = payoutDocument(payout, origin, lease);
  const { _id, operations: _, ...fields } = document;
  const made = await payouts.updateOne(
    { _id, ...isNotCreated },
    { $set: fields, $unset: { only_try: "" } },
  );
  const stored =
    made.matchedCount === 1 ? document : await insertOrFind(payouts, document, { _id });
  if (stored !== document) return { payout: toPayout(stored) };
  return { payout, origin, events: document.outbox };
}
