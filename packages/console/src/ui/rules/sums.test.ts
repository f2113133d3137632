import { expect, it } from "vitest";
import { isBelow, sumsText } from "./sums.ts";

it.each([
  [[], ""],
  [
    [
      ["0.10", "USD"],
      ["0.20", "USD"],
    ],
    "0.30 USD",
  ],
  [
    [
      ["1", "BTC"],
      ["0.00000001", "BTC"],
      ["1000", "USD"],
    ],
    "1.00000001 BTC, 1,000 USD",
  ],
  [
    [
      ["90071992547409.93", "USD"],
      ["0.01", "USD"],
    ],
    "90,071,992,547,409.94 USD",
  ],
] as [[string, string][], string][])("the sum of %j is %s", (amounts, text) => {
  expect(sumsText(amounts.map(([amount, currency]) => ({ amount, currency })))).toBe(text);
});

it.each([
  ["9.99", "10", true],
  ["10.0", "10", false],
  ["0.00000001", "0.0000001", true],
  ["100", "20.5", false],
])("%s is below %s: %s", (amount, other, expected) => {
  expect(isBelow(amount, other)).toBe(expected);
});
