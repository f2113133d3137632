import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { divideCeil, divideFloor, formatDecimal, parseDecimal } from "./decimal.ts";

describe("division", () => {
  it.each([
    [7n, 2n, 3n, 4n],
    [8n, 2n, 4n, 4n],
    [-7n, 2n, -4n, -3n],
    [0n, 5n, 0n, 0n],
    [1n, 3n, 0n, 1n],
  ])("of %s by %s is %s down and %s up", (numerator, denominator, floor, ceil) => {
    expect(divideFloor(numerator, denominator)).toBe(floor);
    expect(divideCeil(numerator, denominator)).toBe(ceil);
  });

  it("brackets the exact quotient", () => {
    const denominators = fc.bigInt({ min: 1n, max: 10n ** 20n });
    fc.assert(
      fc.property(fc.bigInt(), denominators, (numerator, denominator) => {
        const floor = divideFloor(numerator, denominator);
        const ceil = divideCeil(numerator, denominator);
        expect(floor * denominator <= numerator).toBe(true);
        expect(ceil * denominator >= numerator).toBe(true);
        expect(ceil - floor).toBe(numerator % denominator === 0n ? 0n : 1n);
      }),
    );
  });
});

describe("a decimal's text", () => {
  it.each([
    ["83.1234567891", "83.1234567891"],
    ["1.10", "1.1"],
    ["-0.5", "-0.5"],
    ["1e-3", "0.001"],
    ["12E3", "12000"],
    ["007", "7"],
  ])("%s is written %s", (text, written) => {
    const decimal = parseDecimal(text);
    expect(decimal && formatDecimal(decimal)).toBe(written);
  });

  it("keeps the decimals asked for", () => {
    expect(formatDecimal({ units: 1n, scale: 0 }, 2)).toBe("1.00");
    expect(formatDecimal({ units: 12345n, scale: 4 }, 2)).toBe("1.2345");
  });
});
