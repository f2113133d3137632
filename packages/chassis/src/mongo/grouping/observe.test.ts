import { expect, it } from "vitest";
import { createMetrics } from "../../metrics.ts";
import { batchMetrics } from "./observe.ts";

it("shows the size of each batch, how long it waited and how long it took, by kind", async () => {
  const metrics = createMetrics("test");
  const observe = batchMetrics(metrics);
  observe("write", { size: 3, waitedMs: 250, tookMs: 500 });
  observe("write", { size: 5, waitedMs: 250, tookMs: 500 });
  observe("read", { size: 7, waitedMs: 2_000, tookMs: 4_000 });
  const lines = (await metrics.text()).split("\n").filter((line) => /_batch_.*_sum/.test(line));
  expect(lines).toEqual([
    'disburse_database_batch_operations_sum{service="test",kind="write"} 8',
    'disburse_database_batch_operations_sum{service="test",kind="read"} 7',
    'disburse_database_batch_wait_seconds_sum{service="test",kind="write"} 0.5',
    'disburse_database_batch_wait_seconds_sum{service="test",kind="read"} 2',
    'disburse_database_batch_seconds_sum{service="test",kind="write"} 1',
    'disburse_database_batch_seconds_sum{service="test",kind="read"} 4',
  ]);
});
