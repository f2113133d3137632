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

/** Opens the payouts. The collection also contains orders without a payout. */
export function openPayouts({ db }: Database): Payouts {
  return db.collection<PayoutDocument>("payouts");
}

/** The same collection, typed to include orders. */
export function ordersIn(payouts: Payouts): Collection<OrderDocument> {
  return payouts as unknown as Collection<OrderDocument>;
}

const isNotCreated = { status: { $exists: false } } as const;

/**
 * The valid order. `removeOrder` needs `onlyTry`, which is set if the quote had no order before.
 */
type Placed = { readonly order: PayoutOrder; readonly onlyTry?: string };

/** Only a misuse reaches this limit. More operations would fill the document. */
const operationsMax = 1_000;

/**
 * Stores an order under its payout's id before money is held, unless the payout exists. Until the
 * payout exists the quote's last order is valid, whichever operation sent it: the claim decides.
 * Returns the valid order, or the order of the existing payout. Refuses an operation that was used
 * with other content or for another quote.
 */
export async function placeOrder(
  payouts: Payouts,
  order: PayoutOrder,
): Promise<Placed | typeof otherContent> {
  const _id = payoutIdOf(order.quoteId);
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
    throw new ConnectError("too many operations have ordered this quote", Code.ResourceExhausted);
  }
  return otherContent;
}

/**
 * Removes a refused order, which frees its operation. The order stays if another attempt relies on
 * it, because that attempt may hold money for it. The caller has released its hold and makes no
 * other.
 */
export async function removeOrder(
  payouts: Payouts,
  { quoteId }: Pick<PayoutOrder, "quoteId">,
  onlyTry: string,
): Promise<void> {
  const _id = payoutIdOf(quoteId);
  await ordersIn(payouts).deleteOne({ _id, ...isNotCreated, only_try: onlyTry });
}

/** Finds a payout by id. With `own.merchant_id`, only that merchant's. */
export async function findPayout(payouts: Payouts, id: string, own: { merchant_id?: string } = {}) {
  const found = ifCreated(await payouts.findOne({ _id: id, ...own }));
  return found && toPayout(found);
}

/** A payout that was just stored, with its first events. */
export type Created = {
  readonly payout: Payout;
  readonly origin: Origin;
  /** The event of its status comes first. */
  readonly events: readonly PendingEvent[];
};

/**
 * Turns an order into its payout, with the first event. A repeat returns the stored payout. After
 * the restore of an older backup, a claim may exist without its order.
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
