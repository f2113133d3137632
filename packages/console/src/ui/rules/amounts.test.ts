import { expect, test } from "vitest";
import { amountOf, grouped, isZero, moneyText } from "./amounts.ts";

test.each([
  ["0", "0"],
  ["999.10", "999.10"],
  ["1000.00", "1,000.00"],
  ["-1234567.123456789012345678", "-1,234,567.123456789012345678"],
  ["9007199254740993", "9,007,199,254,740,993"],
  ["", ""],
  ["n/a", "n/a"],
])("formats %s as %s", (amount, shown) => {
  expect(grouped(amount)).toBe(shown);
});

test.each([
  ["100", "100"],
  [" 100.50 ", "100.50"],
  ["1,000.50", "1000.50"],
  ["0.000000000000000001", "0.000000000000000001"],
  ["1,00", undefined],
  ["1,0000", undefined],
  ["0", undefined],
  ["0.00", undefined],
  ["-1", undefined],
  ["1e3", undefined],
  [".5", undefined],
  ["1.", undefined],
  ["01", undefined],
  ["", undefined],
  ["ten", undefined],
])("converts %j to %j", (text, amount) => {
  expect(amountOf(text)).toBe(amount);
});

test.each([
  ["0", true],
  ["0.00", true],
  ["0.01", false],
  ["10", false],
])("detects if %s is zero", (amount, zero) => {
  expect(isZero(amount)).toBe(zero);
});

test("places a code after the amount and a symbol before it", () => {
  expect(moneyText("1000.00", "USD")).toBe("1,000.00 USD");
  expect(moneyText("1000.00", "₹")).toBe("₹1,000.00");
  expect(moneyText("1000.00", "")).toBe("1,000.00");
});
