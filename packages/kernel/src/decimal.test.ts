import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addDecimals,
  divideCeil,
  divideFloor,
  formatDecimal,
  multiplyDecimals,
  normalise,
  parseDecimal,
  rescale,
} from "./decimal.ts";

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

it("adds and multiplies to the last digit", () => {
  const decimal = fc.record({
    units: fc.bigInt({ min: -(10n ** 33n), max: 10n ** 33n }),
    scale: fc.integer({ min: 0, max: 18 }),
  });
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      const scale = a.scale + b.scale;
      const [left, right] = [rescale(a, scale), rescale(b, scale)];
      expect(addDecimals(a, b)).toEqual(normalise({ units: left + right, scale }));
      expect(multiplyDecimals(a, b)).toEqual(normalise({ units: a.units * b.units, scale }));
    }),
  );
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

  it("is the same number however it is written", () => {
    const digits = fc.bigInt({ min: -(10n ** 33n), max: 10n ** 33n });
    const shapes = fc.record({
      zeros: fc.integer({ min: 0, max: 5 }),
      exponent: fc.integer({ min: 0, max: 9 }),
      upper: fc.boolean(),
    });
    fc.assert(
      fc.property(digits, fc.integer({ min: 0, max: 18 }), shapes, (units, scale, shape) => {
        const { zeros, exponent, upper } = shape;
        const plain = formatDecimal({ units, scale });
        const read = parseDecimal(plain);
        expect(read).toEqual(normalise({ units, scale }));
        const shifted = formatDecimal({ units, scale: scale + exponent });
        const point = shifted.includes(".") ? "" : ".0";
        const text = `${shifted}${point}${"0".repeat(zeros)}${upper ? "E+" : "e"}${exponent}`;
        expect(parseDecimal(text)).toEqual(read);
        const padded = plain.replace(/^(-?)/, `$1${"0".repeat(zeros)}`);
        expect(parseDecimal(padded)).toEqual(read);
      }),
    );
  });

  it("is no text of another form", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 40, unit: fc.constantFrom(..."0189.-+eE ,_x") }),
        (text) => {
          const isNumber = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text);
          const read = parseDecimal(text);
          expect(read === undefined || isNumber).toBe(true);
          // A decimal has no negative zero, but `Number` has.
          if (read !== undefined) expect(Number(formatDecimal(read))).toBe(Number(text) + 0);
        },
      ),
    );
  });

  it("writes at least the requested decimals", () => {
    expect(formatDecimal({ units: 1n, scale: 0 }, 2)).toBe("1.00");
    expect(formatDecimal({ units: 12345n, scale: 4 }, 2)).toBe("1.2345");
  });
});
