import type { Metrics } from "@disburse/chassis/metrics.ts";
import { isAcknowledged } from "../domain/delivery.ts";
import type { DueEndpoint, Settlement } from "../store/work-store.ts";

/** What the worker tells of itself. */
export type WorkMetrics = {
  settled(settlement: Settlement): void;
  due(endpoints: readonly DueEndpoint[], now: Date): void;
  dueCount(count: number): void;
};

/** The worker's series; labels are closed sets, never an endpoint or a merchant. */
export function createWorkMetrics(metrics: Metrics): WorkMetrics {
  const attempts = metrics.counter(
    "disburse_webhook_attempts_total",
    "Webhook attempts by outcome: acknowledged, refused, or why there was no answer.",
    ["outcome"],
  );
  const ended = metrics.counter(
    "disburse_webhook_deliveries_ended_total",
    "Deliveries that ended, by their last state.",
    ["state"],
  );
  const dueEndpoints = metrics.gauge(
    "disburse_webhook_due_endpoints",
    "Endpoints with a delivery that is due.",
    [],
  );
  const oldest = metrics.gauge(
    "disburse_webhook_oldest_due_seconds",
    "How long the longest waiting due delivery has been due.",
    [],
  );
  const due = metrics.gauge(
    "disburse_webhook_due_deliveries",
    "Deliveries that are due, counted up to 10,000.",
    [],
  );
  return {
    settled: ({ attempt, fate }) => {
      if (attempt !== undefined) {
        const { outcome } = attempt;
        const answered = isAcknowledged(outcome) ? "acknowledged" : "refused";
        attempts.inc({ outcome: outcome.kind === "answered" ? answered : outcome.error });
      }
      if (fate.state !== "pending") ended.inc({ state: fate.state });
    },
    due: (endpoints, now) => {
      const since = Math.min(now.getTime(), ...endpoints.map((each) => each.oldestDueAt.getTime()));
      dueEndpoints.set(endpoints.length);
      oldest.set((now.getTime() - since) / 1_000);
    },
    dueCount: (count) => due.set(count),
  };
}
