import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bumpedRate, childFee, firstRate, shareOf } from "./fees.ts";

const policy = { min: 2n, max: 100n, bumpAfterMs: 60_000 };

describe("the fee rate of a new transaction", () => {
  it.each<[string, bigint[], bigint | undefined]>([
    ["is the minimum without an estimate", [], 2n],
    ["is the minimum below it", [1n, 1n], 2n],
    ["is the lowest estimate, so that one node can't raise it", [9n, 1_000n], 9n],
    ["may be the maximum", [100n], 100n],
    ["is none above the maximum", [101n, 200n], undefined],
  ])("%s", (_what, estimates, rate) => {
    expect(firstRate(estimates, policy)).toBe(rate);
  });
});

describe("the fee rate of a replacement", () => {
  it.each<[bigint, bigint[], bigint | undefined]>([
    [2n, [], 3n],
    [80n, [], 100n],
    [81n, [], undefined],
    [100n, [], undefined],
    [10n, [50n], 50n],
    [10n, [500n], 100n],
  ])("above %s with the estimates %s is %s", (last, estimates, rate) => {
    expect(bumpedRate(last, estimates, policy)).toBe(rate);
  });

  it("always rises, and never exceeds the maximum", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 200n), fc.array(fc.bigInt(1n, 500n)), (last, estimates) => {
        const rate = bumpedRate(last, estimates, policy);
        return rate === undefined || (rate > last && rate <= policy.max);
      }),
    );
  });
});

it("a child pays for itself and for what its parent lacks", () => {
  expect(childFee(10n, { fee: 200n, vsize: 200 }, 110)).toBe(2_900n);
  expect(childFee(10n, { fee: 3_000n, vsize: 200 }, 110)).toBe(1_100n);
});

it("the payouts' shares sum to the fee, and differ by at most one", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 1_000_000n), fc.integer({ min: 1, max: 100 }), (fee, count) => {
      const shares = Array.from({ length: count }, (_each, at) => shareOf(fee, at, count));
      const sum = shares.reduce((total, each) => total + each, 0n);
      return sum === fee && (shares[0] ?? 0n) - (shares.at(-1) ?? 0n) <= 1n;
    }),
  );
});
