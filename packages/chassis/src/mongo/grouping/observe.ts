import type { Metrics } from "../../metrics.ts";

/**
 * Called for each batch with the number of its operations, the waiting time of the first one, and
 * the batch's duration.
 */
export type ObserveBatch = (
  kind: "write" | "read",
  batch: { readonly size: number; readonly waitedMs: number; readonly tookMs: number },
) => void;

const sizeBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 5];

/** Adds metrics for the batches of a service's database. */
export function batchMetrics(metrics: Metrics): ObserveBatch {
  const histogram = (name: string, help: string, buckets: readonly number[]) =>
    metrics.histogram(name, help, ["kind"], buckets);
  const sizes = histogram(
    "disburse_database_batch_operations",
    "Database operations in one batch, by kind.",
    sizeBuckets,
  );
  const waits = histogram(
    "disburse_database_batch_wait_seconds",
    "Time that the first database operation of a batch waited, by kind.",
    secondsBuckets,
  );
  const durations = histogram(
    "disburse_database_batch_seconds",
    "Time that the database took for a batch, by kind.",
    secondsBuckets,
  );
  return (kind, { size, waitedMs, tookMs }) => {
    sizes.observe({ kind }, size);
    waits.observe({ kind }, waitedMs / 1_000);
    durations.observe({ kind }, tookMs / 1_000);
  };
}
