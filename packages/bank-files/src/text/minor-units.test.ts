import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { minorDigits, moneyText, readMoney } from "./minor-units.ts";

describe("amounts of a bank", () => {
  it.each([
    ["5.0100", "USD", 501n],
    ["0", "USD", 0n],
    ["5.", "EUR", 500n],
    [".5", "EUR", 50n],
    ["12", "JPY", 12n],
    ["12.345", "KWD", 12345n],
    ["+1.00", "USD", 100n],
  ])("%s %s is %s minor units", (text, currency, minor) => {
    expect(readMoney(text, currency)).toEqual({ minor, currency });
  });

  it.each([
    ["5.011", "USD"],
    ["12.5", "JPY"],
    ["-1", "USD"],
    ["1e3", "USD"],
    ["1,00", "USD"],
    ["", "USD"],
    ["1", "usd"],
    ["1", "XAU"],
    ["1", "XXX"],
  ])("%j %s is none", (text, currency) => {
    expect(readMoney(text, currency)).toBeUndefined();
  });

  it("are read as they were written", () => {
    const currencies = fc.constantFrom("USD", "JPY", "KWD", "CLF");
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 14n), currencies, (minor, currency) => {
        expect(readMoney(moneyText({ minor, currency }), currency)).toEqual({ minor, currency });
      }),
    );
  });

  it("have the digits of ISO 4217", () => {
    const digits = ["USD", "INR", "EUR", "JPY", "KWD", "UYW", "XDR"].map(minorDigits);
    expect(digits).toEqual([2, 2, 2, 0, 3, 4, undefined]);
  });
});
