import { describe, expect, it } from "vitest";
import { exceededSentence, type LimitsText, limitViolations, readLimits } from "./limits.ts";

const usd = (hour: string, day: string) => ({ currency: "USD", hour, day });

describe("limits as they are written", () => {
  it.each<[string, LimitsText, string | undefined]>([
    ["none", { amounts: [] }, undefined],
    ["no payout at all", { count_hour: 0, amounts: [] }, undefined],
    ["the same for both windows", { count_hour: 3, count_day: 3, amounts: [] }, undefined],
    ["amounts", { amounts: [usd("0.01", "5000.00")] }, undefined],
    ["a day's amount alone", { amounts: [usd("", "5000.00")] }, undefined],
    ["a negative count", { count_day: -1, amounts: [] }, "merchant.count_day"],
    [
      "more an hour than a day",
      { count_hour: 2, count_day: 1, amounts: [] },
      "merchant.count_hour",
    ],
    ["a larger amount an hour", { amounts: [usd("1.01", "1.00")] }, "merchant.amounts[0].hour"],
    ["no amount", { amounts: [usd("0.00", "")] }, "merchant.amounts[0].hour"],
    ["too many decimals", { amounts: [usd("", "1.001")] }, "merchant.amounts[0].day"],
    [
      "an unknown currency",
      { amounts: [{ ...usd("", "1"), currency: "XXX" }] },
      "merchant.amounts[0].currency_code",
    ],
    [
      "a currency twice",
      { amounts: [usd("", "1"), usd("", "2")] },
      "merchant.amounts[1].currency_code",
    ],
  ])("%s", (_what, limits, field) => {
    const fields = limitViolations("merchant", limits).map((each) => each.field);
    expect(fields).toEqual(field === undefined ? [] : [field]);
  });

  it("are compared in payouts and in minor units", () => {
    const amounts = [usd("", "12.34"), { currency: "BTC", hour: "1", day: "" }];
    expect(readLimits({ count_hour: 0, count_day: 7, amounts })).toEqual([
      { window: "hour", max: 0n },
      { window: "day", max: 7n },
      { window: "day", currency: "USD", max: 1_234n },
      { window: "hour", currency: "BTC", max: 100_000_000n },
    ]);
  });
});

describe("a refusal names the limit and the time from which it allows the payout", () => {
  const allowedAt = new Date("2026-11-23T16:20:00.123Z");
  it.each([
    [
      exceededSentence("merchant", { limit: { window: "hour", max: 2n }, allowedAt }),
      "At most 2 payouts by this merchant in 60 minutes. The limit allows this payout from 2026-11-23T16:20:00.123Z on.",
    ],
    [
      exceededSentence("beneficiary", { limit: { window: "day", max: 1n }, allowedAt }),
      "At most 1 payout to this beneficiary in 24 hours. The limit allows this payout from 2026-11-23T16:20:00.123Z on.",
    ],
    [
      exceededSentence("merchant", {
        ...{ limit: { window: "day", currency: "USD", max: 50_000n }, allowedAt: "never" },
      }),
      "At most 500.00 USD by this merchant in 24 hours. This payout alone exceeds the limit.",
    ],
    [
      exceededSentence("beneficiary", { limit: { window: "day", max: 0n }, allowedAt: "never" }),
      "At most 0 payouts to this beneficiary in 24 hours.",
    ],
  ])("%s", (sentence, expected) => {
    expect(sentence).toBe(expected);
  });
});
