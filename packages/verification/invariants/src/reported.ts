import type { Payout } from "./documents.ts";

/**
 * Whether an outcome was reported, which outweighs what a rail has; a merchant's wish to cancel is
 * none.
 */
export function wasReported({ journal }: Payout): boolean {
  return journal.some(
    ({ operation_id, stage }) =>
      operation_id !== undefined && stage !== "cancelling" && stage !== "submitting",
  );
}
