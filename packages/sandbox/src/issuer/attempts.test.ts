import { expect, it } from "vitest";
import { createAttempts } from "./attempts.ts";

const limits = { max: 3, refillMs: 60_000 };

it("allows some guesses at once, then one a minute", () => {
  const { begin } = createAttempts(limits);
  expect([0, 1, 2].map(() => begin("ada", 0))).toEqual([0, 0, 0]);
  expect(begin("ada", 0)).toBe(60_000);
  expect(begin("ada", 59_000)).toBe(1_000);
  expect(begin("ada", 60_000)).toBe(0);
  expect(begin("ada", 60_000)).toBe(60_000);
  expect([0, 1, 2].map(() => begin("ada", 10 ** 9))).toEqual([0, 0, 0]);
});

it("counts each key by itself", () => {
  const { begin } = createAttempts(limits);
  for (const _each of [0, 1, 2]) begin("ada", 0);
  expect(begin("bob", 0)).toBe(0);
});

it("gives a right guess back", () => {
  const { begin, giveBack } = createAttempts(limits);
  for (let at = 0; at < 10; at += 1) {
    expect(begin("ada", 0)).toBe(0);
    giveBack("ada", 0);
  }
  giveBack("ada", 0);
  expect([0, 1, 2, 3].map(() => begin("ada", 0))).toEqual([0, 0, 0, 60_000]);
});
