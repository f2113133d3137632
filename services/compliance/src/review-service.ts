import type { ServiceImpl } from "@connectrpc/connect";
import { openAuditStore } from "@disburse/chassis/audit-store.ts";
import { createKeyedHashes } from "@disburse/chassis/keyed-hash.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo.ts";
import { createSealer } from "@disburse/chassis/sealing.ts";
import type { ComplianceReviewService } from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type SubjectAlerts, subjectAlerts } from "./alert-raising.ts";
import { openAlertStore, type WaitingTally } from "./alert-store.ts";
import { type AlertAction, waitingKinds } from "./domain/alert.ts";
import { type ReviewRpcDeps, reviewRpc } from "./review-rpc.ts";
import { sweepReviews } from "./reviews.ts";

/** What a crash left of a decision, and the metrics: people wait for neither. */
const sweepEveryMs = 2_000;

export type Review = {
  /** For monitoring. */
  readonly alerts: SubjectAlerts;
  /** Starts what needs monitoring in its turn. */
  start(needs: Pick<ReviewRpcDeps, "rescreen" | "screening">): {
    readonly rpc: ServiceImpl<typeof ComplianceReviewService>;
    readonly sweep: Loop;
  };
};

/** The review of alerts: their store, the audit trail, the officers' RPCs. */
export async function openReview(options: {
  readonly database: Pick<Database, "db">;
  readonly encryptionKeys: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}): Promise<Review> {
  const { database, encryptionKeys, clock, log, metrics } = options;
  const sealer = createSealer(encryptionKeys);
  const store = await openAlertStore(database, sealer);
  const audit = await openAuditStore<AlertAction>(database);
  const done = metrics.counter("disburse_alert_deeds_total", "What people did with alerts", [
    "action",
  ]);
  const show = waitingMetrics(metrics, clock);
  return {
    alerts: subjectAlerts({ store, keys: createKeyedHashes(encryptionKeys, "alerts"), clock }),
    start: (needs) => {
      const reviewed = (action: AlertAction) => done.inc({ action });
      const deps = { ...needs, alerts: store, audit, sealer, clock, log, reviewed };
      const sweep = startLoop({
        name: "reviews",
        everyMs: sweepEveryMs,
        run: async () => {
          await sweepReviews(deps);
          show(await store.tally());
          return false;
        },
        log,
      });
      return { rpc: reviewRpc(deps), sweep };
    },
  };
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
