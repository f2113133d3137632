import { leastOf } from "@disburse/kernel/bigint.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { boundedFees, bumpedFees, type FeePolicy, firstFees } from "./fees.ts";

const policy: FeePolicy = { cap: 100n, tip: 2n, bumpAfterMs: 60_000 };

describe("the fees of a new transaction", () => {
  it.each([
    ["twice the base fee and the tip", 10n, { max: 22n, tip: 2n }],
    ["the cap where that is more", 60n, { max: 100n, tip: 2n }],
    ["the cap where that just covers the base fee", 98n, { max: 100n, tip: 2n }],
    ["none where the cap covers nothing", 99n, undefined],
  ])("are %s", (_what, baseFee, expected) => {
    expect(firstFees(baseFee, policy)).toEqual(expected);
  });

  it("are the cap where it has to be sent and the cap covers nothing", () => {
    expect(boundedFees(1_000n, policy)).toEqual({ max: 100n, tip: 2n });
    expect(boundedFees(1_000n, { ...policy, cap: 1n })).toEqual({ max: 1n, tip: 1n });
  });
});

describe("higher fees", () => {
  const last = { fees: { max: 22n, tip: 2n }, atMs: 0, count: 1 };

  it.each([
    ["are not due before their time", 59_999, last, 10n, undefined],
    ["are an eighth more at least", 60_000, last, 1n, { max: 25n, tip: 3n }],
    ["follow the base fee", 60_000, last, 30n, { max: 62n, tip: 3n }],
    ["are the cap at most", 60_000, last, 1_000n, { max: 100n, tip: 3n }],
    [
      "are none where an eighth more is above the cap",
      60_000,
      { ...last, fees: { max: 90n, tip: 2n } },
      1_000n,
      undefined,
    ],
    ["are none after many", 60_000, { ...last, count: 24 }, 30n, undefined],
  ])("%s", (_what, nowMs, before, baseFee, expected) => {
    expect(bumpedFees(before, baseFee, nowMs, policy)).toEqual(expected);
  });

  it("are a tenth more for nodes to take them, and within the cap", () => {
    const fee = fc.bigInt({ min: 0n, max: 10n ** 12n });
    fc.assert(
      fc.property(fee, fee, fee, fee, (max, tip, baseFee, cap) => {
        const before = { fees: { max, tip: leastOf(tip, max) }, atMs: 0, count: 1 };
        const bumped = bumpedFees(before, baseFee, 60_000, { ...policy, cap });
        if (bumped === undefined) return;
        expect(bumped.max * 10n).toBeGreaterThanOrEqual(max * 11n);
        expect(bumped.tip * 10n).toBeGreaterThanOrEqual(before.fees.tip * 11n);
        expect(bumped.max).toBeLessThanOrEqual(cap);
        expect(bumped.tip).toBeLessThanOrEqual(bumped.max);
      }),
    );
  });
});
