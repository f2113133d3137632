import type { Payout } from "./documents.ts";

/** Stages set by merchants' operations, which don't report an outcome. */
const unreported: ReadonlySet<string> = new Set(["queued", "cancelling", "submitting"]);

/**
 * Returns true if an operation reported an outcome, which overrides the rail's outcome. Approvals
 * and cancellation requests are not outcomes.
 */
export function wasReported({ journal }: Payout): boolean {
  return journal.some(
    ({ operation_id, stage }) => operation_id !== undefined && !unreported.has(stage),
  );
}
