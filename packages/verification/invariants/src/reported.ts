import type { Payout } from "./documents.ts";

/** Where operations of merchants leave a payout that say nothing of its outcome. */
const unreported: ReadonlySet<string> = new Set(["queued", "cancelling", "submitting"]);

/**
 * Whether an outcome was reported, which outweighs what a rail has; an approval and a merchant's
 * wish to cancel are none.
 */
export function wasReported({ journal }: Payout): boolean {
  return journal.some(
    ({ operation_id, stage }) => operation_id !== undefined && !unreported.has(stage),
  );
}
