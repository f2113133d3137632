import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { isSteady, runLoop } from "./loops.ts";

test("sends as many requests as wanted, never more at a time than there are clients", async () => {
  let running = 0;
  let most = 0;
  const { samples } = await runLoop({ concurrency: 3, end: { requests: 10 } }, async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return true;
  });
  expect(samples).toHaveLength(10);
  expect(most).toBe(3);
});

test("ends when there is nothing left to request", async () => {
  const left = [true, true, false];
  const { samples } = await runLoop({ concurrency: 1, end: { seconds: 60 } }, async () => {
    return left.shift() ?? false;
  });
  expect(samples).toHaveLength(2);
});

test("sends no request once its time is over", async () => {
  const { samples } = await runLoop({ concurrency: 2, end: { seconds: 0 } }, async () => true);
  expect(samples).toEqual([]);
});

test("ends with the first wrong answer", async () => {
  let sent = 0;
  const loop = runLoop({ concurrency: 2, end: { requests: 1_000 } }, async () => {
    sent += 1;
    if (sent > 3) throw new Error("wrong");
    return true;
  });
  await expect(loop).rejects.toThrow("wrong");
  expect(sent).toBeLessThan(10);
});

const pace = { perSecond: 1_000, seconds: 0.02, inFlightMax: 100 };

test("starts every request, without waiting for the answers before it", async () => {
  const last = Promise.withResolvers<boolean>();
  let started = 0;
  const { samples } = await runLoop(pace, () => {
    started += 1;
    if (started === 20) last.resolve(true);
    return last.promise;
  });
  expect(samples).toHaveLength(20);
  // The first was due about 19 ms before the last, which delayed all answers.
  expect(Math.max(...samples.map(({ latencyMs }) => latencyMs))).toBeGreaterThan(15);
});

test("did not keep up where too many are in flight, and waits for those", async () => {
  let answered = 0;
  const { samples, keptUp } = await runLoop({ ...pace, inFlightMax: 3 }, async () => {
    await pause(100);
    answered += 1;
    return true;
  });
  expect(keptUp).toBe(false);
  expect(samples).toHaveLength(3);
  expect(answered).toBe(3);
});

test("starts no more once one has failed", async () => {
  let started = 0;
  const failing = runLoop({ ...pace, seconds: 60 }, async () => {
    started += 1;
    throw new Error("wrong answer");
  });
  await expect(failing).rejects.toThrow("wrong answer");
  expect(started).toBeLessThan(10);
});

const ended = (latencies: readonly number[]) =>
  latencies.map((latencyMs, at) => ({ atMs: at * 10, latencyMs }));

test.each([
  ["as fast throughout", [10, 30, 20, 20, 10, 30], true],
  ["slower by noise", [100, 100, 100, 105, 109, 105], true],
  ["faster at the end", [50, 40, 30, 20, 10, 5], true],
  ["slower at the end", [100, 100, 100, 112, 112, 112], false],
  ["a queue that grows", [10, 20, 30, 40, 50, 60], false],
  ["nothing", [], true],
])("a loop that is %s: %j is steady: %j", (_each, latencies, expected) => {
  expect(isSteady(ended(latencies))).toBe(expected);
  expect(isSteady(ended(latencies).toReversed())).toBe(expected);
});
