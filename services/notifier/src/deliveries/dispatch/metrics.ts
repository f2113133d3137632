import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Health } from "../../endpoints/rules/health.ts";
import { isAcknowledged } from "../../sender/rules/outcome.ts";
import type { DueEndpoint, Settlement } from "./work-store.ts";

export type WorkMetrics = ReturnType<typeof createWorkMetrics>;

/** Values that are measured at regular intervals. */
export type DispatchStats = {
  readonly due: number;
  readonly running: number;
  readonly shards: number;
  readonly circuits: Readonly<Record<Health["circuit"], number>>;
};

/**
 * Seconds between an event and its first attempt. A fresh delivery takes milliseconds, one in a
 * backlog up to an hour.
 */
const waitBuckets = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5, 30, 300, 3_600];

/** Every label has a fixed set of values. No label contains an endpoint or a merchant. */
export function createWorkMetrics(metrics: Metrics) {
  const attempts = metrics.counter(
    "disburse_webhook_attempts_total",
    "Webhook attempts, by outcome: acknowledged, refused, or the error if there was no response.",
    ["outcome"],
  );
  const ended = metrics.counter(
    "disburse_webhook_deliveries_ended_total",
    "Webhook deliveries that ended, by final state.",
    ["state"],
  );
  const dueEndpoints = metrics.gauge(
    "disburse_webhook_due_endpoints",
    "Webhook endpoints of this process with a due delivery, except paused and unverified endpoints.",
  );
  const oldest = metrics.gauge(
    "disburse_webhook_oldest_due_seconds",
    "Seconds since the oldest due webhook delivery became due, except at paused and unverified endpoints.",
  );
  const due = metrics.gauge(
    "disburse_webhook_due_deliveries",
    "Due webhook deliveries of this process, except at paused and unverified endpoints; counted up to 10,000.",
  );
  const wait = metrics.histogram(
    "disburse_webhook_first_attempt_seconds",
    "Time from the creation of a webhook delivery or redelivery to its first attempt, including waits. The label limit is endpoint if the endpoint's own limits delayed it, otherwise none.",
    ["limit"],
    waitBuckets,
  );
  const running = metrics.gauge("disburse_webhook_in_flight", "Webhook attempts in progress.");
  const shards = metrics.gauge(
    "disburse_webhook_shards_owned",
    "Shards of webhook endpoints, out of 256, that this process delivers to.",
  );
  const circuits = metrics.gauge(
    "disburse_webhook_endpoints",
    "Recently active webhook endpoints of this process, by circuit breaker state.",
    ["circuit"],
  );
  return {
    settled: (
      { attempt, transition }: Settlement,
      createdAt: Date,
      limit: "endpoint" | "none",
    ): void => {
      if (attempt !== undefined) {
        if (attempt.number === 1) {
          wait.observe({ limit }, (attempt.startedAt.getTime() - createdAt.getTime()) / 1_000);
        }
        const { outcome } = attempt;
        const answered = isAcknowledged(outcome) ? "acknowledged" : "refused";
        attempts.inc({ outcome: outcome.kind === "answered" ? answered : outcome.error });
      }
      if (transition.state !== "pending") ended.inc({ state: transition.state });
    },
    due: (endpoints: readonly DueEndpoint[], now: Date): void => {
      const since = Math.min(now.getTime(), ...endpoints.map((each) => each.oldestDueAt.getTime()));
      dueEndpoints.set(endpoints.length);
      oldest.set((now.getTime() - since) / 1_000);
    },
    measured: (figures: DispatchStats): void => {
      due.set(figures.due);
      running.set(figures.running);
      shards.set(figures.shards);
      for (const [circuit, count] of Object.entries(figures.circuits)) {
        circuits.set({ circuit }, count);
      }
    },
  };
}
