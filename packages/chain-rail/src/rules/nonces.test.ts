import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { affordable, assignNonces, type Funds, fundsAfter, shortage } from "./nonces.ts";

describe("nonces of waiting transfers", () => {
  it("follow each other in the order of the transfers", () => {
    expect(assignNonces({ next: 7, open: [] }, ["a", "b"], 7, 16)).toEqual([
      { nonce: 7, key: "a" },
      { nonce: 8, key: "b" },
    ]);
  });

  it.each([
    ["none is unmined", 10, 10, 3, 3],
    ["one is unmined", 10, 9, 3, 2],
    ["as many are unmined as may be", 10, 7, 3, 0],
    ["more are unmined than may be, after a reorganisation", 10, 2, 3, 0],
    ["the chain is ahead", 10, 12, 3, 5],
  ])("are so many where %s", (_what, next, mined, unminedMax, count) => {
    const waiting = ["a", "b", "c", "d", "e", "f"];
    expect(assignNonces({ next, open: [] }, waiting, mined, unminedMax)).toHaveLength(count);
  });

  it("are given to no transfer twice, and none that is given already is given again", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "e");
    const run = fc.record({
      waiting: fc.array(key),
      mined: fc.nat(12),
      open: fc.uniqueArray(key, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(run, fc.integer({ min: 1, max: 4 }), ({ waiting, mined, open }, max) => {
        const next = 10;
        const before = open.map((each, at) => ({ nonce: next - open.length + at, key: each }));
        const given = assignNonces({ next, open: before }, waiting, mined, max);
        const all = [...before, ...given];
        expect(new Set(all.map((each) => each.key)).size).toBe(all.length);
        expect(given.map(({ nonce }) => nonce)).toEqual(given.map((_each, at) => next + at));
        expect(given.length).toBeLessThanOrEqual(Math.max(0, mined + max - next));
      }),
    );
  });
});

describe("the funds of a wallet", () => {
  const funds: Funds = { native: "ETH", coin: 100n, tokens: new Map([["USDC_ETH", 50n]]) };

  it.each([
    ["a token that it has", "USDC_ETH", 50n, 100n, undefined],
    ["a token with too little of it", "USDC_ETH", 51n, 1n, "balance"],
    ["a token that it does not have", "USDT_ETH", 1n, 1n, "balance"],
    ["a token with too little for the fee", "USDC_ETH", 1n, 101n, "gas"],
    ["the coin, fee included", "ETH", 90n, 10n, undefined],
    ["the coin with one too little", "ETH", 91n, 10n, "balance"],
  ])("for %s", (_what, asset, amount, fee, expected) => {
    expect(shortage(funds, { asset, amount, fee })).toBe(expected);
  });

  it("are less by what is under way", () => {
    const underWay = [
      { key: "a", asset: "ETH", amount: 20n, fee: 5n },
      { key: "b", asset: "USDC_ETH", amount: 30n, fee: 5n },
    ];
    const left = fundsAfter(funds, underWay);
    expect(left.coin).toBe(70n);
    expect(left.tokens).toEqual(new Map([["USDC_ETH", 20n]]));
  });

  it("go to transfers in their order, and none overtakes one of its currency", () => {
    const cost = (key: string, asset: string, amount: bigint) => ({ key, asset, amount, fee: 1n });
    const covered = affordable(funds, [
      cost("a", "USDC_ETH", 40n),
      cost("b", "USDC_ETH", 20n),
      cost("c", "USDC_ETH", 1n),
      cost("d", "ETH", 10n),
    ]);
    expect(covered.map(({ key }) => key)).toEqual(["a", "d"]);
  });

  it("are never spent beyond what there is", () => {
    const cost = fc.record({
      key: fc.uuid(),
      asset: fc.constantFrom("ETH", "USDC_ETH"),
      amount: fc.bigInt({ min: 1n, max: 60n }),
      fee: fc.bigInt({ min: 0n, max: 30n }),
    });
    fc.assert(
      fc.property(fc.array(cost), (costs) => {
        const left = fundsAfter(funds, affordable(funds, costs));
        expect(left.coin).toBeGreaterThanOrEqual(0n);
        expect(left.tokens.get("USDC_ETH")).toBeGreaterThanOrEqual(0n);
      }),
    );
  });
});
