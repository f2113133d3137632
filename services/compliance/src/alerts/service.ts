import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { sweepReviews } from "./review.ts";
import { type ReviewRpcDeps, reviewRpc } from "./rpc.ts";
import { type AlertAction, pendingKinds } from "./rules/alert.ts";

/** What a crash left of a decision: no person waits for it. */
const sweepEveryMs = 2_000;
/** Of many thousand alerts that wait it takes some 50 ms; metrics are asked for as seldom. */
const tallyEveryMs = 10_000;

/** What review stands on. */
export type ReviewOptions = Omit<ReviewRpcDeps, "audit" | "sealer" | "reviewed"> & {
  readonly database: Pick<Database, "db">;
  /** See `encryptionKeysSetting`. */
  readonly encryptionKeys: string;
  readonly metrics: Metrics;
};

/** Opens the audit trail, and starts what finishes decisions that a crash left half done. */
export async function startReview(options: ReviewOptions) {
  const { database, alerts, encryptionKeys, metrics, clock, log } = options;
  const done = metrics.counter("disburse_alert_deeds_total", "What people did with alerts", [
    "action",
  ]);
  const deps: ReviewRpcDeps = {
    ...options,
    audit: await openAuditStore<AlertAction>(database),
    sealer: createSealer(encryptionKeys),
    reviewed: (action) => done.inc({ action }),
  };
  const waiting = metrics.gauge("disburse_alerts_waiting", "Alerts that wait for a person", [
    "state",
  ]);
  const oldest = metrics.gauge(
    "disburse_alerts_waiting_oldest_seconds",
    "For how long the alert has waited that waits longest",
    ["state"],
  );
  const sweep = startLoop({
    name: "reviews",
    everyMs: sweepEveryMs,
    run: () => sweepReviews(deps).then(() => false),
    log,
  });
  const tally = startLoop({
    name: "alerts",
    everyMs: tallyEveryMs,
    run: async () => {
      const tally = await alerts.tally();
      for (const state of pendingKinds) {
        const found = tally.find((each) => each.state === state);
        waiting.set({ state }, found?.count ?? 0);
        const since = found?.oldest ?? clock.now();
        oldest.set({ state }, Math.max(0, (clock.now().getTime() - since.getTime()) / 1_000));
      }
      return false;
    },
    log,
  });
  const stop = async () => void (await Promise.all([sweep.stop(), tally.stop()]));
  return { rpc: reviewRpc(deps), stop };
}
