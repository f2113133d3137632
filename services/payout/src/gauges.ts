import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Ledger } from "@disburse/ledger/accounts.ts";
import { countOpenHolds } from "@disburse/ledger/tidy.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import { type Batches, openBatches } from "./batches/document.ts";
import { orphanedAfterMs } from "./execution/holds.ts";
import { type Orders, openScheduledPayouts, openWaitingPayouts } from "./orders/document.ts";
import type { Payouts } from "./payouts/document.ts";
import { exceptionKinds } from "./payouts/rules/exception.ts";
import { openPayouts } from "./payouts/store.ts";
import { openRailStates } from "./rails/states.ts";
import { railAccountGauges } from "./treasury/gauges.ts";

/**
 * The interval between readings. Prometheus scrapes every 15 s, and a reading takes at most about
 * 50 ms of database time.
 */
const everyMs = 5_000;
/** The maximum count. A gauge shows this value for any higher count. */
const readMax = 10_000;

export type GaugeDeps = {
  readonly database: Database;
  readonly ledger: Pick<Ledger, "accounts">;
  readonly rails: readonly Pick<Rail, "name" | "overdueAfterMs">[];
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

/** Regularly updates the gauges of stored payouts. All processes show the same values. */
export function startPayoutGauges(deps: GaugeDeps): Loop {
  const read = payoutGauges(deps);
  const run = () => read().then(() => false);
  return startLoop({ name: "payout-gauges", everyMs, run, log: deps.log });
}

/** Creates the gauges. The returned function updates them once. */
export function payoutGauges(deps: GaugeDeps): () => Promise<void> {
  const { database, ledger, metrics, clock } = deps;
  const payouts = openPayouts(database);
  const outbox = metrics.gauge(
    "disburse_payout_outbox_payouts",
    "Payouts with an event that is not marked as published; counted up to 10,000.",
  );
  const outboxOldest = metrics.gauge(
    "disburse_payout_outbox_oldest_seconds",
    "Age of the oldest payout event that is not marked as published.",
  );
  const readOpenPayouts = openPayoutGauges(payouts, deps);
  const exceptions = metrics.gauge(
    "disburse_payout_exceptions",
    "Payouts with an open exception, by kind; counted up to 10,000 in all.",
    ["kind"],
  );
  const states = openRailStates(database, clock);
  const paused = metrics.gauge(
    "disburse_rail_paused",
    "1 if an operator has paused the rail, 0 if it was resumed.",
    ["rail"],
  );
  const holds = metrics.gauge(
    "disburse_orphaned_holds",
    "Holds of money without a payout that are older than any running execute request.",
  );
  const readOrders = orderGauges(database, metrics);
  const readRailAccounts = railAccountGauges(ledger, payouts, metrics);
  return async () => {
    const now = clock.now();
    const [unpublished] = await readOutbox(payouts);
    outbox.set(unpublished?.count ?? 0);
    outboxOldest.set(secondsBetween(unpublished?.oldest ?? now, now));
    await readOpenPayouts(now);
    const byKind = await readExceptions(payouts);
    for (const kind of exceptionKinds) {
      exceptions.set({ kind }, byKind.find(({ _id }) => _id === kind)?.count ?? 0);
    }
    for (const each of await states.list()) paused.set({ rail: each.rail }, each.paused ? 1 : 0);
    holds.set(await countOpenHolds(ledger, new Date(now.getTime() - 2 * orphanedAfterMs)));
    await readRailAccounts();
    await readOrders(now);
  };
}

/**
 * Creates the gauges of payouts that have no outcome yet. Each call of the returned function
 * updates them once.
 */
function openPayoutGauges(payouts: Payouts, { rails, metrics }: GaugeDeps) {
  const open = metrics.gauge(
    "disburse_payouts_open",
    "Payouts without an outcome, by stage; counted up to 10,000 in all.",
    ["stage"],
  );
  const openOldest = metrics.gauge(
    "disburse_payout_oldest_open_seconds",
    "Age of the oldest payout without an outcome, among 10,000, by stage and rail (empty until a rail is chosen).",
    ["stage", "rail"],
  );
  const overdueAfter = metrics.gauge(
    "disburse_payout_overdue_after_seconds",
    "Age at which an open payout of a rail becomes overdue, if the rail has its own setting.",
    ["rail"],
  );
  for (const { name: rail, overdueAfterMs } of rails) {
    if (overdueAfterMs !== undefined) overdueAfter.set({ rail }, overdueAfterMs / 1_000);
  }
  return async (now: Date): Promise<void> => {
    const opened = await readOpen(payouts);
    // A rail without open payouts must not keep its old value.
    openOldest.reset();
    for (const stage of openStages) {
      const its = opened.filter(({ _id }) => _id.stage === stage);
      open.set(
        { stage },
        its.reduce((sum, { count }) => sum + count, 0),
      );
      openOldest.set({ stage, rail: "" }, 0);
      for (const { _id, oldest } of its) {
        openOldest.set({ stage, rail: _id.rail ?? "" }, secondsBetween(oldest, now));
      }
    }
  };
}

const secondsBetween = (from: Date, to: Date) =>
  Math.max(0, (to.getTime() - from.getTime()) / 1_000);

const openStages = [
  ...[
    "awaiting_approval",
    "queued",
    "awaiting_funds",
    "submitting",
    "processing",
    "unknown",
    "cancelling",
  ],
  "concluding",
];

type Reading<Id = unknown> = { readonly _id: Id; readonly count: number; readonly oldest: Date };

const always = { $gt: new Date(0) };

/**
 * Reads payouts with unpublished events, oldest first. The sparse index contains only these
 * payouts.
 */
function readOutbox(payouts: Payouts): Promise<Reading[]> {
  const steps = [
    { $match: { "outbox.at": always } },
    { $limit: readMax },
    { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: { $min: "$outbox.at" } } } },
  ];
  return payouts.aggregate<Reading>(steps, { hint: "outbox" }).toArray();
}

/** The same rule as `openSince`: an approved payout counts as open from its approval. */
const openSince = {
  $max: ["$approval.decision.at", { $ifNull: ["$funded_at", "$created_at"] }],
};

function readOpen(payouts: Payouts) {
  const _id = { stage: "$progress.stage", rail: "$rail" };
  const steps = [
    { $match: { work_due_at: always, status: "initiated" } },
    { $limit: readMax },
    { $group: { _id, count: { $sum: 1 }, oldest: { $min: openSince } } },
  ];
  type Id = { readonly stage: string; readonly rail?: string };
  return payouts.aggregate<Reading<Id>>(steps, { hint: "work" }).toArray();
}

function readExceptions(payouts: Payouts) {
  const steps = [
    { $match: { "exception.since": always } },
    { $limit: readMax },
    { $group: { _id: "$exception.kind", count: { $sum: 1 } } },
  ];
  return payouts.aggregate<Omit<Reading, "oldest">>(steps, { hint: "exception" }).toArray();
}

/**
 * Returns a function that updates the gauges of scheduled payouts, batches, and payouts that wait
 * for balance.
 */
function orderGauges(database: Database, metrics: Metrics): (now: Date) => Promise<void> {
  const orders = openScheduledPayouts(database);
  const batches = openBatches(database);
  const balanceWaits = openWaitingPayouts(database);
  const waiting = metrics.gauge(
    "disburse_scheduled_payouts_waiting",
    "Scheduled payouts whose payout is not created yet; counted up to 10,000.",
  );
  const overdue = metrics.gauge(
    "disburse_scheduled_payout_oldest_overdue_seconds",
    "Delay of the oldest scheduled payout whose payout is not created yet; 0 before its scheduled time.",
  );
  const running = metrics.gauge(
    "disburse_batches_running",
    "Batches whose payouts are being created; counted up to 10,000.",
  );
  const idle = metrics.gauge(
    "disburse_batch_oldest_idle_seconds",
    "Longest time in which a running batch has not started another line.",
  );
  const short = metrics.gauge(
    "disburse_payouts_awaiting_balance",
    "Payouts that wait for the balance of their account; counted up to 10,000.",
  );
  const shortOldest = metrics.gauge(
    "disburse_payout_oldest_awaiting_balance_seconds",
    "Age of the oldest payout that waits for the balance of its account, among 10,000.",
  );
  return async (now) => {
    const ofOrders = await readDue(orders, "waiting", "$scheduled_at");
    const ofBatches = await readDue(batches, "running", "$moved_at");
    const ofWaits = await readDue(balanceWaits, "waiting", "$created_at");
    waiting.set(ofOrders?.count ?? 0);
    overdue.set(secondsBetween(ofOrders?.oldest ?? now, now));
    running.set(ofBatches?.count ?? 0);
    idle.set(secondsBetween(ofBatches?.oldest ?? now, now));
    short.set(ofWaits?.count ?? 0);
    shortOldest.set(secondsBetween(ofWaits?.oldest ?? now, now));
  };
}

/**
 * Counts the documents of a state that have work left, and reads the earliest time of a field. The
 * index contains only documents with work left. The limit leaves out those that are due last.
 */
async function readDue(
  collection: Pick<Orders | Batches, "aggregate">,
  state: string,
  oldest: string,
): Promise<Reading | undefined> {
  const steps = [
    ...[{ $match: { due_at: always, state } }, { $limit: readMax }],
    { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: oldest } } },
  ];
  return (await collection.aggregate<Reading>(steps, { hint: "due" }).toArray())[0];
}
