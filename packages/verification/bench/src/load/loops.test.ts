import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { closedLoop, openLoop } from "./loops.ts";

test("makes as many requests as wanted, never more at a time than there are clients", async () => {
  let running = 0;
  let most = 0;
  const { latenciesMs } = await closedLoop({ concurrency: 3, end: { requests: 10 } }, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return true;
  });
  expect(latenciesMs).toHaveLength(10);
  expect(most).toBe(3);
});

test("ends when there is nothing left to request", async () => {
  const left = [true, true, false];
  const { latenciesMs } = await closedLoop({ concurrency: 1, end: { seconds: 60 } }, async () => {
    return left.shift() ?? false;
  });
  expect(latenciesMs).toHaveLength(2);
});

test("asks no more once its time is over", async () => {
  const { latenciesMs } = await closedLoop({ concurrency: 2, end: { seconds: 0 } }, async () => {
    return true;
  });
  expect(latenciesMs).toEqual([]);
});

test("ends with the first wrong answer", async () => {
  let asked = 0;
  const loop = closedLoop({ concurrency: 2, end: { requests: 1_000 } }, async () => {
    asked += 1;
    if (asked > 3) throw new Error("wrong");
    return true;
  });
  await expect(loop).rejects.toThrow("wrong");
  expect(asked).toBeLessThan(10);
});

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
