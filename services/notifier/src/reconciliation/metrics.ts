import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { GapKind } from "./rules/window.ts";

/** The metrics of the sweeps. */
export type GapMetrics = ReturnType<typeof createGapMetrics>;

/** Registers the metrics of the sweeps. */
export function createGapMetrics(metrics: Metrics) {
  const found = metrics.counter(
    "disburse_webhook_gaps_found_total",
    "Events or deliveries that should have been stored and were not.",
    ["kind"],
  );
  const repaired = metrics.counter(
    "disburse_webhook_gaps_repaired_total",
    "Those of them that a sweep stored.",
    ["kind"],
  );
  const age = metrics.gauge(
    "disburse_webhook_gap_checkpoint_age_seconds",
    "How long ago the span ended that was last swept, by whichever process.",
    ["kind"],
  );
  return {
    /** So many were missing, and so many of them are stored now. */
    swept: (kind: GapKind, missing: number, stored: number): void => {
      found.inc({ kind }, missing);
      repaired.inc({ kind }, stored);
    },
    /** Events up to this age were swept. */
    through: (kind: GapKind, ageMs: number): void => age.set({ kind }, ageMs / 1_000),
  };
}
