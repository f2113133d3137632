import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { sweepReviews } from "./review.ts";
import { type ReviewRpcDeps, reviewRpc } from "./rpc.ts";
import { type AlertAction, pendingKinds } from "./rules/alert.ts";

/** The interval of the sweep that completes decisions after a crash. */
const sweepEveryMs = 2_000;
/**
 * The interval of the counts for metrics. With many thousand alerts a count takes some 50 ms, and
 * metrics are scraped no more often.
 */
const gaugesEveryMs = 10_000;

export type ReviewOptions = Omit<ReviewRpcDeps, "audit" | "reviewed"> & {
  readonly database: Pick<Database, "db">;
  readonly metrics: Metrics;
};

/** Opens the audit trail, and starts the sweep that completes decisions after a crash. */
export async function startReview(options: ReviewOptions) {
  const { database, alerts, metrics, clock, log } = options;
  const done = metrics.counter(
    "disburse_alert_actions_total",
    "Actions of operators on alerts, by action.",
    ["action"],
  );
  const deps: ReviewRpcDeps = {
    ...options,
    audit: openAuditStore<AlertAction>(database),
    reviewed: (action) => done.inc({ action }),
  };
  const waiting = metrics.gauge("disburse_alerts_waiting", "Pending alerts, by state.", ["state"]);
  const oldest = metrics.gauge(
    "disburse_alerts_waiting_oldest_seconds",
    "Waiting time of the oldest pending alert.",
    ["state"],
  );
  const sweep = startLoop({
    name: "reviews",
    everyMs: sweepEveryMs,
    run: () => sweepReviews(deps).then(() => false),
    log,
  });
  const gauges = startLoop({
    name: "alerts",
    everyMs: gaugesEveryMs,
    run: async () => {
      const counts = await alerts.countPending();
      for (const state of pendingKinds) {
        const found = counts.find((each) => each.state === state);
        waiting.set({ state }, found?.count ?? 0);
        const since = found?.oldest ?? clock.now();
        oldest.set({ state }, Math.max(0, (clock.now().getTime() - since.getTime()) / 1_000));
      }
      return false;
    },
    log,
  });
  const stop = async () => void (await Promise.all([sweep.stop(), gauges.stop()]));
  return { rpc: reviewRpc(deps), stop };
}
