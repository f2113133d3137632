import { expect, test } from "vitest";
import { type PlatformTotals, payoutFaults } from "./money.ts";

const totals: PlatformTotals = {
  ...{ payouts: 2, strayPayouts: 0, claimedQuotes: 2, holds: 2, releases: 0, payoutsExpected: 2 },
};

test("finds nothing wrong where each payout has its quote and its hold", () => {
  expect(payoutFaults(totals)).toEqual([]);
});

test("knows that a released hold has no payout", () => {
  expect(payoutFaults({ ...totals, holds: 3, releases: 1 })).toEqual([]);
});

test.each<[string, Partial<PlatformTotals>, RegExp]>([
  ["a payout that no execute made", { payouts: 3, claimedQuotes: 3 }, /successful executes/],
  ["a payout without a claim", { claimedQuotes: 1 }, /claimed quotes/],
  ["a second payout of a quote", { strayPayouts: 1 }, /id of their quote/],
  ["a payout without a hold", { payouts: 3 }, /holds/],
])("finds %s", (_each, changed, fault) => {
  expect(payoutFaults({ ...totals, ...changed }).join("\n")).toMatch(fault);
});
