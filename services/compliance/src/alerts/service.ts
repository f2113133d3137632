import type { ServiceImpl } from "@connectrpc/connect";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { createSealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import type { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { sweepReviews } from "./review.ts";
import { type ReviewRpcDeps, reviewRpc } from "./rpc.ts";
import { type AlertAction, waitingKinds } from "./rules/alert.ts";
import type { AlertStore, WaitingTally } from "./store.ts";

/** What a crash left of a decision: no person waits for it. */
const sweepEveryMs = 2_000;
/** Of many thousand alerts that wait it takes some 50 ms; metrics are asked for as seldom. */
const tallyEveryMs = 10_000;

/** What review stands on. */
export type ReviewOptions = Pick<ReviewRpcDeps, "screenings" | "rescreen"> & {
  readonly database: Pick<Database, "db">;
  readonly alerts: AlertStore;
  /** See `encryptionKeysSetting`. */
  readonly encryptionKeys: string;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

export type Review = {
  readonly rpc: ServiceImpl<typeof ComplianceReviewService>;
  /** Ends the background work after its present run. */
  stop(): Promise<void>;
};

/** Opens the audit trail, and starts what finishes decisions that a crash left half done. */
export async function startReview(options: ReviewOptions): Promise<Review> {
  const { database, alerts, encryptionKeys, metrics, clock, log } = options;
  const done = metrics.counter("disburse_alert_deeds_total", "What people did with alerts", [
    "action",
  ]);
  const deps: ReviewRpcDeps = {
    ...{ alerts, clock, log },
    screenings: options.screenings,
    rescreen: options.rescreen,
    audit: await openAuditStore<AlertAction>(database),
    sealer: createSealer(encryptionKeys),
    reviewed: (action) => done.inc({ action }),
  };
  const show = waitingMetrics(metrics, clock);
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
      show(await alerts.tally());
      return false;
    },
    log,
  });
  const stop = async () => void (await Promise.all([sweep.stop(), tally.stop()]));
  return { rpc: reviewRpc(deps), stop };
}

/** The gauges of what waits for a person, from a tally of it. */
function waitingMetrics(metrics: Metrics, clock: Clock): (tally: readonly WaitingTally[]) => void {
  const waiting = metrics.gauge("disburse_alerts_waiting", "Alerts that wait for a person", [
    "state",
  ]);
  const oldest = metrics.gauge(
    "disburse_alerts_waiting_oldest_seconds",
    "For how long the alert has waited that waits longest",
    ["state"],
  );
  return (tally) => {
    for (const state of waitingKinds) {
      const found = tally.find((each) => each.state === state);
      waiting.set({ state }, found?.count ?? 0);
      const since = found?.oldest ?? clock.now();
      oldest.set({ state }, Math.max(0, (clock.now().getTime() - since.getTime()) / 1_000));
    }
  };
}
