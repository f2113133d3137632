import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAmount, parseAmount } from "./money.ts";

describe("parseAmount", () => {
  it.each([
    ["100.10", "USD", 10010n],
    ["100.1", "USD", 10010n],
    ["1e2", "USD", 10000n],
    ["1.5E-1", "USD", 15n],
    ["0.01", "USD", 1n],
    ["100.100000", "USD", 10010n],
    ["0.000000000000000001", "ETH", 1n],
    ["999999999999999.99", "USD", 99999999999999999n],
    ["9007199254740993", "USD", undefined],
    ["900719925474099.3", "USD", 90071992547409930n],
  ])("reads %s %s", (text, currency, minor) => {
    const amount = parseAmount(text, currency);
    if (minor === undefined) expect(amount).toHaveProperty("refused");
    else expect(amount).toBe(minor);
  });

  it.each([
    ["0.001", "must have at most 2 decimals"],
    ["0", "must be greater than zero"],
    ["-0", "must be greater than zero"],
    ["-1", "must be greater than zero"],
    ["1e400", "must be a decimal number"],
    ["1e63", "must have at most 15 digits before the point"],
    ["1000000000000000", "must have at most 15 digits before the point"],
    ["NaN", "must be a decimal number"],
    ["Infinity", "must be a decimal number"],
    ["0x10", "must be a decimal number"],
    ["1,000", "must be a decimal number"],
    [" 1", "must be a decimal number"],
    ["", "must be a decimal number"],
    [".5", "must be a decimal number"],
    ["5.", "must be a decimal number"],
    [`1.${"0".repeat(80)}`, "must be a decimal number"],
  ])("refuses %s", (text, detail) => {
    expect(parseAmount(text, "USD")).toEqual({
      refused: "NOT_AN_AMOUNT",
      detail,
    });
  });

  it("reads back what it wrote, for every currency's decimals", () => {
    const minor = fc.bigInt({ min: 1n, max: 10n ** 16n - 1n });
    fc.assert(
      fc.property(minor, fc.constantFrom("USD", "BTC", "SOL", "ETH", "USDC_ETH"), (units, code) => {
        expect(parseAmount(formatAmount(units, code), code)).toBe(units);
      }),
    );
  });
});
