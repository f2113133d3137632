import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { GapKind } from "./rules/window.ts";

/** What the sweeps for lost events tell of themselves. */
export type GapMetrics = {
  /** Of so many that were missing, so many are there now. */
  swept(kind: GapKind, found: number, repaired: number): void;
  /** Nothing before this moment is missing. */
  through(kind: GapKind, ageMs: number): void;
};

/** The series of the sweeps. */
export function createGapMetrics(metrics: Metrics): GapMetrics {
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
    swept: (kind, missing, stored) => {
      found.inc({ kind }, missing);
      repaired.inc({ kind }, stored);
    },
    through: (kind, ageMs) => age.set({ kind }, ageMs / 1_000),
  };
}
