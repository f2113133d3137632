import { expect, it } from "vitest";
import { createRandom } from "./random.ts";

const many = (seed: number) => {
  const random = createRandom(seed);
  return Array.from({ length: 100 }, () => random.below(1_000));
};

it("gives the same numbers for the same seed, and others for another", () => {
  expect(many(7)).toEqual(many(7));
  expect(many(7)).not.toEqual(many(8));
});

it("gives every number below its limit, and none above", () => {
  const random = createRandom(1);
  const given = new Set(Array.from({ length: 1_000 }, () => random.below(6)));
  expect([...given].sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

it("shuffles a list without losing or repeating an item", () => {
  const items = Array.from({ length: 20 }, (_each, at) => at);
  const shuffled = createRandom(3).shuffled(items);
  expect(shuffled).not.toEqual(items);
  expect(shuffled.sort((a, b) => a - b)).toEqual(items);
});

it("is true with the probability that is asked for", () => {
  const random = createRandom(5);
  const times = Array.from({ length: 1_000 }).filter(() => random.chance(0.3)).length;
  expect(times).toBeGreaterThan(250);
  expect(times).toBeLessThan(350);
});
