import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import type { Payout } from "./payout.ts";
import type { Progress } from "./progress.ts";
import { applyRailReport } from "./rail-report.ts";

const payout = (progress: Progress): Pick<Payout, "progress" | "quote"> => ({
  progress,
  quote: { destination: "USD", receivingMinor: 1_250n } as Payout["quote"],
});
const status = { kind: "settled", reference: "R" } as const;

describe("a rail report of an amount", () => {
  it.each([
    ["the same", "12.50", "USD", "concluding"],
    ["the same, written shorter", "12.5", "USD", "concluding"],
    ["the same, without its currency", "12.50", "", "concluding"],
    ["none, the currency", "", "USD", "concluding"],
    ["a cent more", "12.51", "USD", "amount: is not what was submitted"],
    [
      "more decimals than the currency has",
      "12.505",
      "USD",
      "amount: must have at most 2 decimals",
    ],
    ["nothing", "0.00", "USD", "amount: must be greater than zero"],
    ["past 34 digits", "1".repeat(35), "USD", "amount: must have at most 15 digits"],
    ["no number", "12,50", "USD", "amount: must be a decimal number"],
    ["another currency", "12.50", "INR", "currency_code: is INR, USD was submitted"],
    ["a currency that nobody knows", "12.50", "XXX", "currency_code: is not a known one"],
  ])("that is %s", (_what, amount, currency, expected) => {
    const next = applyRailReport(payout({ stage: "processing" }), {
      status,
      transferred: { amount, currency },
    });
    const told = isRefused(next) ? next.detail : next === "unchanged" ? next : next.stage;
    expect(told?.slice(0, expected.length)).toBe(expected);
  });

  it("is no repeat where the amount is another one", () => {
    const settled = payout({ stage: "settled", reference: "R" });
    expect(applyRailReport(settled, { status })).toBe("unchanged");
    const transferred = { amount: "12.51", currency: "USD" };
    expect(isRefused(applyRailReport(settled, { status, transferred }))).toBe(true);
  });
});
