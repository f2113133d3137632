import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import { findingKinds, openBankStore } from "./documents.ts";
import type { BankFormat } from "./format.ts";
import { countWaiting } from "./incoming/silence.ts";

/** The update interval, which equals the scrape interval of Prometheus. */
const everyMs = 15_000;
/** The maximum count of waiting payments. A higher count is reported as this value. */
const countMax = 10_000;

export type BankMetricsDeps = {
  readonly database: Database;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

export type MeasuredRail = {
  readonly rail: Pick<Rail, "name">;
  /**
   * Returns the latest settlement day whose payments count as settled. Present if payments settle
   * without a confirmation.
   */
  readonly settledThrough: BankFormat["settledThrough"];
};

/** Updates the gauges of bank rails. All processes show the same values. */
export function startBankMetrics(deps: BankMetricsDeps, rails: readonly MeasuredRail[]): Loop {
  const read = bankMetrics(deps, rails);
  const run = () => read().then(() => false);
  return startLoop({ name: "bank-gauges", everyMs, run, log: deps.log });
}

/**
 * Returns a function that updates the gauges once. Their labels are rail names, states and kinds of
 * findings.
 */
export function bankMetrics(
  { database, metrics, clock }: BankMetricsDeps,
  rails: readonly MeasuredRail[],
): () => Promise<void> {
  const store = openBankStore(database);
  const { payments, files, findings, balances } = store;
  const waiting = metrics.gauge(
    "disburse_bank_waiting_payments",
    "Accepted payments that are not in a bank file yet; counted up to 10,000.",
    ["rail"],
  );
  const late = metrics.gauge(
    "disburse_bank_late_seconds",
    "Seconds since the oldest unsent payment or bank file was due; 0 if none is due.",
    ["rail"],
  );
  const undecided = metrics.gauge(
    "disburse_bank_undecided_files",
    "Bank files of which it is unknown whether the bank received them. An operator must decide.",
    ["rail"],
  );
  const found = metrics.gauge(
    "disburse_bank_findings_open",
    "Open findings in bank files that an operator must handle, by kind; counted up to 10,000.",
    ["rail", "kind"],
  );
  const silent = metrics.gauge(
    "disburse_bank_silence_waiting_payments",
    "Payments whose return window has passed but that are not settled, by reason.",
    ["rail", "waits_for"],
  );
  const statement = metrics.gauge(
    "disburse_bank_statement_age_seconds",
    "Seconds since the last bank statement with balances was processed; absent before the first.",
    ["rail"],
  );
  const read = async ({ rail: { name: rail }, settledThrough }: MeasuredRail) => {
    const now = clock.now();
    const since = (at: Date | undefined) =>
      at === undefined ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1_000);
    const limit = { limit: countMax };
    waiting.set({ rail }, await payments.countDocuments({ rail, state: "waiting" }, limit));
    const [due] = await payments
      .find({ rail, state: "waiting" })
      .sort({ "plan.due_at": 1, _id: 1 })
      .limit(1)
      .toArray();
    const [unsent] = await files
      .find({ open: rail, state: { $in: ["claiming", "written", "sending"] } })
      .sort({ created_at: 1 })
      .limit(1)
      .toArray();
    late.set({ rail }, Math.max(since(due?.plan.due_at), since(unsent?.created_at)));
    undecided.set({ rail }, await files.countDocuments({ open: rail, state: "undecided" }));
    for (const kind of findingKinds) {
      found.set({ rail, kind }, await findings.countDocuments({ open: true, rail, kind }, limit));
    }
    if (settledThrough !== undefined) {
      const waits = await countWaiting(store, rail, settledThrough(now));
      for (const [waitsFor, count] of Object.entries(waits)) {
        silent.set({ rail, waits_for: waitsFor }, count);
      }
    }
    const [last] = await balances.find({ rail }).sort({ day: -1 }).limit(1).toArray();
    if (last !== undefined) statement.set({ rail }, since(last.at));
  };
  return async () => {
    for (const rail of rails) await read(rail);
  };
}
