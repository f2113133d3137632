import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPacedBatches } from "./paced-batches.ts";

const faked = ["setTimeout", "clearTimeout", "performance"] as const;
beforeEach(() => void vi.useFakeTimers({ toFake: [...faked] }));
afterEach(() => void vi.useRealTimers());

type Written = { readonly atMs: number; readonly values: readonly number[] };

/** Batches whose write takes `tookMs`, with the values and times written. */
function writing(tookMs = 0) {
  const startedAt = performance.now();
  const written: Written[] = [];
  const batches = createPacedBatches<number>(
    async (values) => {
      written.push({ atMs: performance.now() - startedAt, values });
      await new Promise((resolve) => setTimeout(resolve, tookMs));
      return values.length > 1;
    },
    () => undefined,
  );
  return { written, ...batches };
}

it("writes the first value at once, and later ones together, 40 ms later", async () => {
  const { written, add } = writing();
  for (const value of [1, 2]) void add(value);
  await vi.advanceTimersByTimeAsync(10);
  for (const value of [3, 4]) void add(value);
  await vi.advanceTimersByTimeAsync(100);
  void add(5);
  await vi.advanceTimersByTimeAsync(0);
  expect(written).toEqual([
    { atMs: 0, values: [1, 2] },
    { atMs: 40, values: [3, 4] },
    { atMs: 110, values: [5] },
  ]);
});

it("returns the result of a batch's write", async () => {
  const { add } = writing();
  const together = [add(1), add(2)];
  await vi.advanceTimersByTimeAsync(0);
  const alone = add(3);
  await vi.advanceTimersByTimeAsync(50);
  expect(await Promise.all([...together, alone])).toEqual([true, true, false]);
});

it("writes one batch at a time, and the next right after a slow one", async () => {
  const { written, add } = writing(100);
  void add(1);
  await vi.advanceTimersByTimeAsync(1);
  for (const value of [2, 3]) void add(value);
  await vi.advanceTimersByTimeAsync(300);
  expect(written).toEqual([
    { atMs: 0, values: [1] },
    { atMs: 101, values: [2, 3] },
  ]);
});

it("reretries a batch each second until it is written, before the next one", async () => {
  const tried: (readonly number[])[] = [];
  const failures: unknown[] = [];
  const { add } = createPacedBatches<number>(
    async (values) => {
      tried.push(values);
      if (tried.length < 3) throw new Error("down");
      return true;
    },
    (error, count) => failures.push([(error as Error).message, count]),
  );
  const isWritten = add(1);
  await vi.advanceTimersByTimeAsync(500);
  const isNextWritten = add(2);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(tried).toEqual([[1], [1], [1], [2]]);
  expect(failures).toEqual([
    ["down", 1],
    ["down", 1],
  ]);
  expect([await isWritten, await isNextWritten]).toEqual([true, true]);
});

it("gives a batch up after 20 tries", async () => {
  const { add, idle } = createPacedBatches<number>(
    () => Promise.reject(new Error("down")),
    () => undefined,
  );
  const isWritten = add(1);
  const ended = vi.fn();
  void idle().then(ended);
  await vi.advanceTimersByTimeAsync(18_999);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ended).toHaveBeenCalled();
  expect(await isWritten).toBe(false);
});

it("is idle when all values are written, and at once without any", async () => {
  const { add, idle } = writing(20);
  await idle();
  void add(1);
  const ended = vi.fn();
  void idle().then(ended);
  await vi.advanceTimersByTimeAsync(19);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toHaveBeenCalled();
});
