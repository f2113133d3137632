import fc from "fast-check";
import { Decimal128 } from "mongodb";
import { expect, it } from "vitest";
import { fromDecimal128, toDecimal128 } from "./mongo.ts";

it("keeps whole numbers of up to 34 digits exactly", () => {
  const limit = 10n ** 34n - 1n;
  fc.assert(
    fc.property(fc.bigInt({ min: -limit, max: limit }), (minor) => {
      expect(fromDecimal128(toDecimal128(minor))).toBe(minor);
    }),
  );
  expect(() => toDecimal128(limit + 1n)).toThrow();
});

it.each([
  ["1E+3", 1000n],
  ["1.20E+3", 1200n],
  ["0", 0n],
])("reads %s", (text, minor) => {
  expect(fromDecimal128(Decimal128.fromString(text))).toBe(minor);
});

it.each(["NaN", "1.5", "Infinity"])("refuses %s", (text) => {
  expect(() => fromDecimal128(Decimal128.fromString(text))).toThrow();
});
