import { createMetrics } from "@disburse/chassis/metrics.ts";
import { expect, it } from "vitest";
import { createPayoutMetrics } from "./metrics.ts";

it("counts changes of status, calls to rails, writes in vain and expired leases", async () => {
  const metrics = createMetrics("payout");
  const { changed, railCalled, settled, retried, takenOver } = createPayoutMetrics(metrics);
  const call = { payoutId: "po_1", rail: "sandbox", operation: "submit" } as const;
  changed("succeeded");
  railCalled(call, "accepted", 20);
  railCalled({ ...call, operation: "query" }, "no_answer", 5_000);
  settled("sandbox", 1_500);
  retried();
  takenOver();
  const text = (await metrics.text()).replaceAll(/service="payout",?/g, "");
  for (const line of [
    'disburse_payouts_total{status="initiated"} 0',
    'disburse_payouts_total{status="succeeded"} 1',
    'disburse_rail_call_duration_seconds_count{rail="sandbox",operation="submit",outcome="accepted"} 1',
    'disburse_rail_call_duration_seconds_sum{rail="sandbox",operation="query",outcome="no_answer"} 5',
    'disburse_payout_settlement_overhead_seconds_sum{rail="sandbox"} 1.5',
    "disburse_ledger_retries_total{} 1",
    "disburse_payout_leases_taken_over_total{} 1",
  ]) {
    expect(text.replaceAll(",}", "}")).toContain(line);
  }
  expect(text).not.toContain("po_1");
});
