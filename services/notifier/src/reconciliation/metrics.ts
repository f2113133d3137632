import type { Metrics } from "@disburse/chassis/metrics.ts";
import { type GapKind, gapKinds } from "./rules/window.ts";

export type GapMetrics = ReturnType<typeof createGapMetrics>;

export function createGapMetrics(metrics: Metrics) {
  const found = metrics.counter(
    "disburse_webhook_gaps_found_total",
    "Gaps that a sweep found: events that were not stored, or stored events without their deliveries.",
    ["kind"],
  );
  const repaired = metrics.counter(
    "disburse_webhook_gaps_repaired_total",
    "Gaps (lost events or deliveries) that a sweep repaired.",
    ["kind"],
  );
  const open = metrics.gauge(
    "disburse_webhook_gaps_open",
    "Gaps (lost events or deliveries) that are not repaired, across all processes.",
    ["kind"],
  );
  const age = metrics.gauge(
    "disburse_webhook_gap_checkpoint_age_seconds",
    "Seconds since the end of the last period that the gap sweep checked, across all processes.",
    ["kind"],
  );
  // Starts each counter at 0. Otherwise Prometheus would not see the increase by the first gap.
  for (const kind of gapKinds) found.inc({ kind }, 0);
  return {
    found: (kind: GapKind, count: number): void => found.inc({ kind }, count),
    repaired: (kind: GapKind, count: number): void => repaired.inc({ kind }, count),
    open: (kind: GapKind, count: number): void => open.set({ kind }, count),
    /** Reports the age of the sweep's checkpoint. */
    through: (kind: GapKind, ageMs: number): void => age.set({ kind }, ageMs / 1_000),
  };
}
