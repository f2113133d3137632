import { expect, it } from "vitest";
import { percentOf, rateText } from "./rates.ts";

it.each([
  [0, 0, "–"],
  [0, 3, "0 % (0/3)"],
  [197, 200, "98.5 % (197/200)"],
  [9_999, 10_000, "99.9 % (9999/10000)"],
  [3, 3, "100 % (3/3)"],
])("%s of %s is %s", (part, whole, text) => {
  expect(rateText(part, whole)).toBe(text);
  expect(percentOf(part, whole) === null).toBe(whole === 0);
});
