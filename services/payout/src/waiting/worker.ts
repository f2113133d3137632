import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import type { OrderDocument, Orders } from "../orders/document.ts";
import { executeOrder, type OrderDeps, orderLeaseMs } from "../orders/execute-order.ts";
import { expireHeld } from "../orders/held-store.ts";
import { leaseDueOrder } from "../orders/store.ts";
import { expiryNote, leaseInLine, oldestInLine, oldestOf } from "../orders/waiting-store.ts";

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
  let heads = await oldestInLine(waiting);
  while (heads.length > 0) {
    const moved = await runOldest(own, heads);
    // A paid payout makes the next one of its account the oldest.
    const next = await Promise.all(moved.map((accountId) => oldestOf(waiting, accountId)));
    heads = next.filter((each) => each !== null);
  }
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

/** Tries the oldest payouts of accounts. Returns the accounts whose payout left the line. */
async function runOldest(deps: OrderDeps, heads: readonly OrderDocument[]): Promise<string[]> {
  const moved: string[] = [];
  for (const { _id, account_id } of await triableOf(deps, heads)) {
    const leased = await leaseInLine(deps.orders, _id, orderLeaseMs);
    if (leased === undefined) continue;
    await executeOrder(deps, leased);
    const inLine = { _id, "balance.in_line": true as const };
    if ((await deps.orders.countDocuments(inLine)) === 0) moved.push(account_id);
  }
  return moved;
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
