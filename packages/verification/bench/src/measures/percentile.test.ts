import { expect, test } from "vitest";
import { median, percentile, rounded } from "./percentile.ts";

const hundred = Array.from({ length: 100 }, (_each, at) => 100 - at);

test.each([
  [[], 0.5, 0],
  [[7], 0.5, 7],
  [[7], 0.99, 7],
  [[3, 1, 2], 0.5, 2],
  [[4, 1, 3, 2], 0.5, 2],
  [hundred, 0.5, 50],
  [hundred, 0.99, 99],
  [hundred, 1, 100],
  [[...hundred, 1_000], 0.99, 100],
  [[...hundred, 1_000], 0.999, 1_000],
])("finds by nearest rank in %j the share %d: %d", (samples, share, expected) => {
  expect(percentile(samples, share)).toBe(expected);
});

test.each([
  [[], 0],
  [[5], 5],
  [[9, 1, 5], 5],
  [[1, 9, 5, 7], 6],
])("takes the middle of %j: %d", (samples, expected) => {
  expect(median(samples)).toBe(expected);
});

test("leaves the samples as they are", () => {
  const samples = [3, 1, 2];
  percentile(samples, 0.5);
  median(samples);
  expect(samples).toEqual([3, 1, 2]);
});

test.each([
  [1.2345, 2, 1.23],
  [1.235, 0, 1],
  [1499.6, 0, 1500],
])("rounds %d to %d decimals", (value, decimals, expected) => {
  expect(rounded(value, decimals)).toBe(expected);
});
