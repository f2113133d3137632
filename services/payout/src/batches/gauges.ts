import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { openScheduledPayouts } from "../orders/document.ts";
import { openBatches } from "./document.ts";

/** Orders that wait are read up to here; more are shown as this many. */
const readMax = 10_000;

type Reading = { readonly count: number; readonly oldest: Date };

/** What payouts that are made later wait for: one reading brings the gauges up to date. */
export function orderGauges(database: Database, metrics: Metrics): (now: Date) => Promise<void> {
  const orders = openScheduledPayouts(database);
  const batches = openBatches(database);
  const waiting = metrics.gauge(
    "disburse_scheduled_payouts_waiting",
    "Scheduled payouts that are not made yet; to 10,000.",
  );
  const overdue = metrics.gauge(
    "disburse_scheduled_payout_oldest_overdue_seconds",
    "How late the oldest scheduled payout is that is not made yet; 0 before its time.",
  );
  const running = metrics.gauge(
    "disburse_batches_running",
    "Batches whose payouts are being made; to 10,000.",
  );
  const idle = metrics.gauge(
    "disburse_batch_oldest_idle_seconds",
    "Since when no line of a running batch was taken on, of the batch that waits longest.",
  );
  return async (now) => {
    const secondsSince = (at: Date) => Math.max(0, (now.getTime() - at.getTime()) / 1_000);
    const read = (state: string, oldest: string) => [
      // In the order of the index, which has those that wait alone: the latest are not among them.
      ...[{ $match: { due_at: { $gt: new Date(0) }, state } }, { $limit: readMax }],
      { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: oldest } } },
    ];
    const options = { hint: "due" };
    const [ofOrders] = await orders
      .aggregate<Reading>(read("waiting", "$scheduled_at"), options)
      .toArray();
    const [ofBatches] = await batches
      .aggregate<Reading>(read("running", "$moved_at"), options)
      .toArray();
    waiting.set(ofOrders?.count ?? 0);
    overdue.set(secondsSince(ofOrders?.oldest ?? now));
    running.set(ofBatches?.count ?? 0);
    idle.set(secondsSince(ofBatches?.oldest ?? now));
  };
}
