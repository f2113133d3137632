import { expect, it } from "vitest";
import { randomOf } from "./random.ts";

const many = (seed: number) => {
  const random = randomOf(seed);
  return Array.from({ length: 100 }, () => random.below(1_000));
};

it("says the same for the same seed, and something else for another", () => {
  expect(many(7)).toEqual(many(7));
  expect(many(7)).not.toEqual(many(8));
});

it("says every number below its bound, and none above", () => {
  const random = randomOf(1);
  const said = new Set(Array.from({ length: 1_000 }, () => random.below(6)));
  expect([...said].sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

it("shuffles what there is, each once", () => {
  const items = Array.from({ length: 20 }, (_each, at) => at);
  const shuffled = randomOf(3).shuffled(items);
  expect(shuffled).not.toEqual(items);
  expect(shuffled.sort((a, b) => a - b)).toEqual(items);
});
