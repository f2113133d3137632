import type { Metrics } from "@disburse/chassis/metrics.ts";

/** Creates the counter of writes that lost to another process's write of the same account. */
export function countRetries(metrics: Metrics): () => void {
  const retries = metrics.counter(
    "disburse_ledger_retries_total",
    "Writes of accounts repeated because another process had changed the account.",
    [],
  );
  return () => retries.inc();
}
