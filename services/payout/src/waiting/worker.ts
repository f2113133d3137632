import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { OrderDocument, Orders } from "../orders/document.ts";
import { executeOrder, type OrderDeps, orderLeaseMs } from "../orders/execute-order.ts";
import { expireHeld } from "../orders/held-store.ts";
import { leaseDueOrder } from "../orders/store.ts";
import { expiryNote, leaseInLine, oldestInLine } from "../orders/waiting-store.ts";

export type WaitingDeps = Omit<OrderDeps, "orders"> & { readonly waiting: Orders };

/**
 * Pays the waiting payouts whose account has their price, oldest first per account, and ends those
 * that have expired or whose account is closed. A payout is written only if it can be paid or has to
 * end.
 */
export async function runWaiting({ waiting, ...deps }: WaitingDeps): Promise<void> {
  const own = { ...deps, orders: waiting };
  await expireHeld(waiting, deps.clock.now(), true);
  await runDue(own);
  // A paid payout makes the next one of its account the oldest.
  while (await runOldest(own));
}

/** Continues payouts whose worker died, and those that have expired or don't wait for balance. */
async function runDue(deps: OrderDeps): Promise<void> {
  for (;;) {
    const now = deps.clock.now();
    const leased = await leaseDueOrder(deps.orders, now, orderLeaseMs, expiryNote);
    if (leased === undefined) return;
    await executeOrder(deps, leased);
  }
}

/** Tries the oldest payout of each account. Returns true if one of them left the line. */
async function runOldest(deps: OrderDeps): Promise<boolean> {
  const oldest = await oldestInLine(deps.orders);
  const triable = oldest.length === 0 ? [] : await triableOf(deps, oldest);
  let hasMoved = false;
  for (const { _id } of triable) {
    const leased = await leaseInLine(deps.orders, _id, orderLeaseMs);
    if (leased === undefined) continue;
    await executeOrder(deps, leased);
    const after = await deps.orders.findOne({ _id }, { projection: { state: 1, balance: 1 } });
    hasMoved ||= after?.state !== "waiting" || after.balance?.in_line !== true;
  }
  return hasMoved;
}

/**
 * Returns the payouts that no worker has and whose account has their last price. A closed account
 * gets no more money, so its payouts are tried too, and fail.
 */
async function triableOf(
  { ledger }: OrderDeps,
  oldest: readonly OrderDocument[],
): Promise<OrderDocument[]> {
  const ids = oldest.map(({ account_id }) => account_id);
  const found = await ledger.accounts
    .find({ _id: { $in: ids } }, { projection: { available: 1, closed_at: 1 } })
    .toArray();
  const accounts = new Map(found.map((each) => [each._id, each]));
  return oldest.filter(({ account_id, balance, lease }) => {
    const account = accounts.get(account_id);
    if (balance === undefined || lease !== undefined || account === undefined) return false;
    const isCovered = fromDecimal128(account.available) >= fromDecimal128(balance.price_minor);
    return isCovered || account.closed_at !== undefined;
  });
}
