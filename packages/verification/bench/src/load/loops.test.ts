import { expect, test } from "vitest";
import { closedLoop } from "./loops.ts";

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
