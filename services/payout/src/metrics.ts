import { type CountRead, cacheMetrics } from "@disburse/chassis/cache.ts";
import { durationBuckets, type Metrics } from "@disburse/chassis/metrics.ts";
import { countRetries } from "@disburse/ledger/metrics.ts";
import type { PayoutStatus } from "./payouts/rules/progress.ts";
import type { ObserveRailCall, ObserveSettlement } from "./rails/steps.ts";

/**
 * Histogram bounds in seconds. A payout takes tens of milliseconds, and 30 s is the objective
 * (docs/operators/runbook/DisburseSloBurning.md). A paused rail or an account without funds takes hours.
 */
const overheadBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600, 86_400];

/** Metrics of the work of one process. For stored state, see `gauges.ts`. */
export type PayoutMetrics = {
  readonly countRead: CountRead;
  readonly changed: (status: PayoutStatus) => void;
  readonly railCalled: ObserveRailCall;
  readonly settled: ObserveSettlement;
  /** Counts writes of an account that failed because another write had changed it. */
  readonly retried: () => void;
  /** Counts leases of a payout whose earlier lease had expired. */
  readonly takenOver: () => void;
};

/**
 * Creates the metrics. Every label has few values: a status, a rail's name or a kind of response.
 */
export function createPayoutMetrics(metrics: Metrics): PayoutMetrics {
  const payouts = metrics.counter(
    "disburse_payouts_total",
    "Payouts that reached a status, counted by the process that stored the status.",
    ["status"],
  );
  for (const status of ["initiated", "succeeded", "failed"] as const) payouts.inc({ status }, 0);
  const calls = metrics.histogram(
    "disburse_rail_call_duration_seconds",
    "Duration of a call to a rail, by call and outcome: the rail's response, or no_answer.",
    ["rail", "operation", "outcome"],
    durationBuckets,
  );
  const overheads = metrics.histogram(
    "disburse_payout_settlement_overhead_seconds",
    "Time that the platform added to the rail's for a payout: to its submission, and from the rail's response to its end.",
    ["rail"],
    overheadBuckets,
  );
  const takenOver = metrics.counter(
    "disburse_payout_leases_taken_over_total",
    "Payouts that a process leased after another process's lease had expired.",
    [],
  );
  return {
    countRead: cacheMetrics(metrics),
    changed: (status) => payouts.inc({ status }),
    railCalled: ({ rail, operation }, outcome, durationMs) =>
      calls.observe({ rail, operation, outcome }, durationMs / 1_000),
    retried: countRetries(metrics),
    settled: (rail, overheadMs) => overheads.observe({ rail }, overheadMs / 1_000),
    takenOver: () => takenOver.inc(),
  };
}
