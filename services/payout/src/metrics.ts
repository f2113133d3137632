import { type CountRead, cacheMetrics } from "@disburse/chassis/cache.ts";
import { durationBuckets, type Metrics } from "@disburse/chassis/metrics.ts";
import type { PayoutStatus } from "./payouts/rules/progress.ts";
import type { ObserveRailCall } from "./rails/steps.ts";

/** What the service shows of its work as it is done; `gauges.ts` shows what is stored. */
export type PayoutMetrics = {
  readonly countRead: CountRead;
  /** A payout has this status now. */
  readonly changed: (status: PayoutStatus) => void;
  readonly railCalled: ObserveRailCall;
  /** A write of an account was in vain: another write had changed it. */
  readonly retried: () => void;
  /** A payout was leased whose lease had expired. */
  readonly takenOver: () => void;
};

/** The service's series. Labels: statuses, names of rails, kinds of answers. */
export function createPayoutMetrics(metrics: Metrics): PayoutMetrics {
  const payouts = metrics.counter(
    "disburse_payouts_total",
    "Payouts that came to a status, as this process wrote it.",
    ["status"],
  );
  for (const status of ["initiated", "succeeded", "failed"] as const) payouts.inc({ status }, 0);
  const calls = metrics.histogram(
    "disburse_rail_call_duration_seconds",
    "Time of a call to a rail, by operation and outcome: its answer, or no_answer.",
    ["rail", "operation", "outcome"],
    durationBuckets,
  );
  const retries = metrics.counter(
    "disburse_ledger_retries_total",
    "Writes of accounts that were made again as another process had changed the account.",
    [],
  );
  const takenOver = metrics.counter(
    "disburse_payout_leases_taken_over_total",
    "Payouts that were leased after the lease of a process before had expired.",
    [],
  );
  return {
    countRead: cacheMetrics(metrics),
    changed: (status) => payouts.inc({ status }),
    railCalled: ({ rail, operation }, outcome, durationMs) =>
      calls.observe({ rail, operation, outcome }, durationMs / 1_000),
    retried: () => retries.inc(),
    takenOver: () => takenOver.inc(),
  };
}
