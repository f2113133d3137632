import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { Filter } from "mongodb";
import type { OrderDocument, Orders } from "./document.ts";
import type { OrderQuote, WaitReason } from "./rules/order.ts";
import { type LeasedOrder, takeLease, unchanged } from "./store.ts";

/** A lease notes whether the payout has expired, by the database's clock. */
export const expiryNote = { "balance.has_expired": { $lte: ["$balance.expires_at", "$$NOW"] } };

/** Shows and announces a payout whose first quote has ended. A repeat changes nothing. */
export async function beginWaiting(orders: Orders, id: string): Promise<void> {
  const preparing = { _id: id, state: "waiting" as const, "balance.preparing": true as const };
  await orders.updateOne(preparing, [
    {
      $set: {
        attempt: 2,
        due_at: "$balance.expires_at",
        "balance.in_line": true,
        "balance.listed": true,
        "balance.pending_versions": [1],
        updated_at: "$$NOW",
      },
    },
    { $unset: "balance.preparing" },
    { $unset: "quote" },
    { $unset: "lease" },
  ]);
}

/** Removes the record of an execute whose quote another operation has claimed. */
export async function dropPreparing(orders: Orders, id: string): Promise<void> {
  await orders.deleteOne({ _id: id, state: "waiting", "balance.preparing": true });
}

/**
 * Ends an attempt. A payout that waits for balance is due only when it expires, and is in line
 * otherwise. One that waits for something else is due after `againMs`. Call this only if the quote
 * of the attempt has ended permanently, or if there is none.
 */
export async function waitAgain(
  orders: Orders,
  leased: LeasedOrder,
  {
    reason,
    quote,
    againMs,
  }: {
    readonly reason: WaitReason;
    readonly quote: OrderQuote | undefined;
    readonly againMs: number;
  },
): Promise<void> {
  const forBalance = reason === "INSUFFICIENT_BALANCE";
  const again = { $add: ["$$NOW", againMs] };
  const expiry = "$balance.expires_at";
  const soonest = { $cond: [{ $lt: [again, expiry] }, again, expiry] };
  await orders.updateOne(unchanged(leased), [
    {
      $set: {
        ...(quote !== undefined && {
          attempt: { $add: ["$attempt", 1] },
          "balance.price_minor": toDecimal128(quote.source),
        }),
        due_at: forBalance ? expiry : soonest,
        "balance.reason": reason,
        "balance.in_line": forBalance ? true : "$$REMOVE",
        updated_at: "$$NOW",
      },
    },
    { $unset: "quote" },
    { $unset: "lease" },
  ]);
}

/** Finds the oldest payout of an account that waits for balance. */
export function oldestOf(orders: Orders, account_id: string): Promise<OrderDocument | null> {
  const inLine = { account_id, "balance.in_line": true as const };
  return orders.findOne(inLine, { sort: { created_at: 1, _id: 1 } });
}

/** Finds the oldest payout of each account that waits for balance. */
export function oldestInLine(orders: Orders): Promise<OrderDocument[]> {
  const inLine = { "balance.in_line": true };
  const head = { $first: "$$ROOT" };
  return orders
    .aggregate<{ readonly head: OrderDocument }>([
      { $match: inLine },
      { $sort: { account_id: 1, created_at: 1, _id: 1 } },
      { $group: { _id: "$account_id", head } },
    ])
    .toArray()
    .then((found) => found.map((each) => each.head));
}

/** Leases a payout that waits for balance and that no worker has. */
export function leaseInLine(
  orders: Orders,
  id: string,
  leaseMs: number,
): Promise<LeasedOrder | undefined> {
  const idle = { _id: id, state: "waiting" as const, "balance.in_line": true as const };
  const filter: Filter<OrderDocument> = { ...idle, lease: { $exists: false } };
  return takeLease(orders, filter, { lease: crypto.randomUUID(), leaseMs, noted: expiryNote });
}
