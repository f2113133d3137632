import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openLoop } from "./loops.ts";

const pace = { perSecond: 1_000, seconds: 0.02, inFlightMax: 100 };

test("starts every request, without waiting for the answers before it", async () => {
  const last = Promise.withResolvers<boolean>();
  let started = 0;
  const { latenciesMs, keptUp } = await openLoop(pace, () => {
    started += 1;
    if (started === 20) last.resolve(true);
    return last.promise;
  });
  expect(latenciesMs).toHaveLength(20);
  expect(keptUp).toBe(true);
  // The first was due some 19 ms before the last, which all answers waited for.
  expect(Math.max(...latenciesMs)).toBeGreaterThan(15);
});

test("ends where too many are under way, and waits for those", async () => {
  let answered = 0;
  const { latenciesMs, keptUp } = await openLoop({ ...pace, inFlightMax: 3 }, async () => {
    await pause(100);
    answered += 1;
    return true;
  });
  expect(keptUp).toBe(false);
  expect(latenciesMs).toHaveLength(3);
  expect(answered).toBe(3);
});

test("starts no more once one has failed", async () => {
  let started = 0;
  const failing = openLoop({ ...pace, seconds: 60 }, async () => {
    started += 1;
    throw new Error("wrong answer");
  });
  await expect(failing).rejects.toThrow("wrong answer");
  expect(started).toBeLessThan(10);
});
