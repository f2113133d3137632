import { setTimeout as pause } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { createTurns } from "./turns.ts";

const workMs = 30;
const work = async () => {
  const began = performance.now();
  await pause(workMs);
  return { began, ended: performance.now() };
};

it("a merchant's work runs one at a time, with a rest after each, and delays no other merchant", async () => {
  const turns = createTurns({ restRatio: 3 });
  const [first, second, other] = await Promise.all([
    turns.take("mer_1", work),
    turns.take("mer_1", work),
    turns.take("mer_2", work),
  ]);
  const tookMs = first.ended - first.began;
  expect(second.began - first.ended).toBeGreaterThanOrEqual(3 * tookMs - 5);
  expect(other.began).toBeLessThan(first.ended);
});

it("failed work counts as well, and ends no turn of another", async () => {
  const turns = createTurns({ restRatio: 1 });
  const failing = turns.take("mer_1", async () => {
    await pause(workMs);
    throw new Error("no");
  });
  const began = performance.now();
  const next = turns.take("mer_1", work);
  await expect(failing).rejects.toThrow("no");
  expect((await next).began - began).toBeGreaterThanOrEqual(2 * workMs - 5);
});

it("a caller that has left does no work, and leaves no rest", async () => {
  const turns = createTurns({ restRatio: 0 });
  const left = new AbortController();
  const first = turns.take("mer_1", work);
  const unwanted = vi.fn(work);
  const second = turns.take("mer_1", unwanted, left.signal);
  const third = turns.take("mer_1", work);
  left.abort(new Error("left"));
  await expect(second).rejects.toThrow("left");
  expect((await third).began).toBeGreaterThanOrEqual((await first).ended);
  expect(unwanted).not.toHaveBeenCalled();
});
