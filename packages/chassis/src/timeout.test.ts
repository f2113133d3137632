import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TimeoutError, withTimeout } from "./timeout.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const never = () => new Promise<never>(() => undefined);

it("returns the work's result and leaves no timer", async () => {
  expect(await withTimeout(100, async () => "done")).toBe("done");
  expect(vi.getTimerCount()).toBe(0);
});

it("throws the work's own error and leaves no timer", async () => {
  const failing = withTimeout(100, () => Promise.reject(new RangeError("no")));
  await expect(failing).rejects.toThrow(RangeError);
  const throwing = withTimeout(100, () => {
    throw new RangeError("at once");
  });
  await expect(throwing).rejects.toThrow("at once");
  expect(vi.getTimerCount()).toBe(0);
});

it("throws a TimeoutError at the limit, and not before", async () => {
  const settled = vi.fn();
  const limited = withTimeout(100, never).catch(settled);
  await vi.advanceTimersByTimeAsync(99);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await limited;
  expect(settled).toHaveBeenCalledWith(expect.any(TimeoutError));
});

it("returns the fallback at the limit", async () => {
  const limited = withTimeout(100, never, () => false);
  await vi.advanceTimersByTimeAsync(100);
  expect(await limited).toBe(false);
});

it("aborts the work's signal only at the limit", async () => {
  const signals: AbortSignal[] = [];
  const keep = (signal: AbortSignal) => void signals.push(signal);
  await withTimeout(100, async (signal) => keep(signal));
  const limited = withTimeout(
    100,
    (signal) => {
      keep(signal);
      return never();
    },
    () => undefined,
  );
  await vi.advanceTimersByTimeAsync(100);
  await limited;
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  expect(signals[1]?.reason).toBeInstanceOf(TimeoutError);
});

it("ignores an error that comes too late", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  const work = Promise.withResolvers<string>();
  const limited = withTimeout(
    100,
    () => work.promise,
    () => "late",
  );
  await vi.advanceTimersByTimeAsync(100);
  expect(await limited).toBe("late");
  work.reject(new Error("too late"));
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});
