import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atNewThreshold, fallsIn } from "./low-balance.ts";

const threshold = 100n;
const entriesOf = (balances: readonly bigint[]) =>
  balances.map((available, at) => ({ sequence: at + 1, available, createdAt: new Date(at) }));
const falls = (wasLow: boolean, before: bigint, balances: readonly bigint[]) => {
  const found = fallsIn({ threshold, wasLow }, before, entriesOf(balances));
  return [found.isLow, ...found.falls.map(({ sequence }) => sequence)];
};

describe("fallsIn", () => {
  it.each<[string, boolean, bigint, bigint[], (boolean | number)[]]>([
    ["no movement", false, 500n, [], [false]],
    ["a balance at the threshold", false, 500n, [100n], [false]],
    ["a balance just below it", false, 500n, [99n], [true, 1]],
    ["a further fall", true, 99n, [98n, 0n], [true]],
    ["a rise to it", true, 99n, [100n], [false]],
    ["two falls with a rise between", false, 500n, [99n, 100n, 99n], [true, 1, 3]],
    ["a rise above it that this release did not see", true, 500n, [99n], [true, 1]],
    ["a fall below it that this release did not see", false, 50n, [60n], [true, 1]],
  ])("of %s", (_what, wasLow, before, balances, expected) => {
    expect(falls(wasLow, before, balances)).toEqual(expected);
  });

  it("finds the same falls, however the entries are divided into writes", () => {
    const balance = fc.bigInt({ min: 90n, max: 110n });
    fc.assert(
      fc.property(fc.array(balance), fc.nat(), (balances, cut) => {
        const at = balances.length === 0 ? 0 : cut % (balances.length + 1);
        const all = entriesOf(balances);
        const whole = fallsIn({ threshold, wasLow: false }, 200n, all);
        const first = fallsIn({ threshold, wasLow: false }, 200n, all.slice(0, at));
        const before = all[at - 1]?.available ?? 200n;
        const second = fallsIn({ threshold, wasLow: first.isLow }, before, all.slice(at));
        expect([...first.falls, ...second.falls]).toEqual(whole.falls);
        expect(second.isLow).toBe(whole.isLow);
      }),
    );
  });
});

it.each<[boolean, bigint, boolean, boolean]>([
  [false, 100n, false, false],
  [false, 99n, true, true],
  [true, 99n, true, false],
  [true, 100n, false, false],
])("a new threshold, low before %s, with %s available", (wasLow, available, isLow, isFall) => {
  expect(atNewThreshold({ threshold, wasLow }, available)).toEqual({ isLow, isFall });
});
