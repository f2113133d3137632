import { expect, it, vi } from "vitest";
import { silentLog } from "./log.ts";
import { showLoops, startLoop } from "./loop.ts";
import { createMetrics } from "./metrics.ts";
import { createWake } from "./wake.ts";

it("runs at once, again while there is more, when woken, and after a failure", async () => {
  const answers: (boolean | Error)[] = [true, false, new Error("broken"), false];
  let runs = 0;
  const wake = createWake();
  const loop = startLoop({
    name: "test",
    everyMs: 60_000,
    wake,
    log: silentLog,
    run: async () => {
      const answer = answers[runs++];
      if (answer instanceof Error) throw answer;
      return answer ?? false;
    },
  });
  await vi.waitFor(() => expect(runs).toBe(2), 10_000);
  wake.notify();
  await vi.waitFor(() => expect(runs).toBe(3), 10_000);
  wake.notify();
  await vi.waitFor(() => expect(runs).toBe(4), 10_000);
  await loop.stop();
});

it("limits a pause to the longest that a timer can hold", async () => {
  vi.useFakeTimers();
  try {
    const run = vi.fn(async () => false);
    const loop = startLoop({ name: "test", everyMs: 2 ** 31, log: silentLog, run });
    // A timer of Node or of the test fires after 1 ms if its pause is too long for it.
    await vi.advanceTimersByTimeAsync(60_000);
    expect(run).toHaveBeenCalledTimes(1);
    await loop.stop();
  } finally {
    vi.useRealTimers();
  }
});

it("rests after 10 s without work, until it is notified or finds more", async () => {
  vi.useFakeTimers();
  try {
    let runs = 0;
    let more = false;
    const run = async () => {
      runs += 1;
      const found = more;
      more = false;
      return found;
    };
    const rouse = createWake();
    const pace = { everyMs: 100, restMs: 1_000, rouse };
    const loop = startLoop({ name: "test", ...pace, log: silentLog, run });
    const runsIn = async (ms: number) => {
      const before = runs;
      await vi.advanceTimersByTimeAsync(ms);
      return runs - before;
    };
    await runsIn(9_950);
    expect(runs).toBe(100);
    await runsIn(1_000);
    expect(await runsIn(5_000)).toBe(5);
    rouse.notify();
    expect(await runsIn(9_950)).toBe(100);
    await runsIn(1_000);
    more = true;
    await runsIn(1_000);
    expect(await runsIn(5_000)).toBe(50);
    rouse.notify();
    expect(await runsIn(1_000)).toBe(10);
    await loop.stop();
  } finally {
    vi.useRealTimers();
  }
});

it("logs an outage when it begins, when its cause changes, each minute, and when it ends", async () => {
  vi.useFakeTimers();
  try {
    const lines: unknown[] = [];
    const note = (fields: { failures?: number; err?: Error }, text: string) =>
      void lines.push([text, fields.failures, fields.err?.name]);
    const log = { ...silentLog, error: note, info: note } as typeof silentLog;
    let failure: Error | undefined = new TypeError("away");
    const run = async () => {
      if (failure !== undefined) throw failure;
      return false;
    };
    const loop = startLoop({ name: "test", everyMs: 1_000, log, run });
    await vi.advanceTimersByTimeAsync(12_500);
    expect(lines).toEqual([["background loop failed; it will run again", 1, "TypeError"]]);
    failure = new RangeError("another");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(lines.slice(1)).toEqual([
      ["background loop failed; it will run again", 14, "RangeError"],
    ]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines.slice(2)).toEqual([
      ["background loop failed; it will run again", 74, "RangeError"],
    ]);
    failure = undefined;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(lines.slice(3)).toEqual([["background loop works again", 74, undefined]]);
    await loop.stop();
  } finally {
    vi.useRealTimers();
  }
});

it("shows its failures and its last success in the metrics of its log's service", async () => {
  const [log, other] = [{ ...silentLog }, { ...silentLog }];
  const [metrics, others] = [createMetrics("test"), createMetrics("other")];
  showLoops(log, metrics);
  showLoops(other, others);
  let isBroken = false;
  const startedAt = Date.now();
  const run = async () => {
    if (isBroken) throw new Error("broken");
    return false;
  };
  const wake = createWake();
  const loop = startLoop({ name: "test", everyMs: 60_000, wake, log, run });
  const read = async (name: string) => {
    const found = new RegExp(`^disburse_loop_${name}{.*loop="test".*} (.*)$`, "m");
    return Number(found.exec(await metrics.text())?.[1]);
  };
  expect(await read("failures_total")).toBe(0);
  await expect
    .poll(() => read("last_success_timestamp_seconds"))
    .toBeGreaterThanOrEqual(startedAt / 1_000);
  expect(await read("interval_seconds")).toBe(60);
  isBroken = true;
  const succeededAt = await read("last_success_timestamp_seconds");
  await new Promise((resolve) => setImmediate(resolve));
  wake.notify();
  await expect.poll(() => read("failures_total")).toBe(1);
  expect(await read("last_success_timestamp_seconds")).toBe(succeededAt);
  expect(await others.text()).not.toContain('loop="test"');
  await loop.stop();
});

it("runs only when a test says so in manual mode", async () => {
  const added: string[] = [];
  const run = vi.fn(async () => false);
  const manual = { add: ({ name }: { readonly name: string }) => added.push(name) };
  const loop = startLoop({ name: "test", everyMs: 1, log: silentLog, run, manual });
  expect(added).toEqual(["test"]);
  expect(run).not.toHaveBeenCalled();
  await loop.stop();
});

it("runs again when it was notified during a run, but not sooner after a failure", async () => {
  vi.useFakeTimers();
  try {
    const wake = createWake();
    const run = vi.fn(async () => false);
    const notifying = async () => {
      wake.notify();
      return false;
    };
    const failing = async () => {
      wake.notify();
      throw new Error("broken");
    };
    run.mockImplementationOnce(notifying).mockImplementationOnce(failing);
    const loop = startLoop({ name: "test", everyMs: 100, wake, log: silentLog, run });
    await vi.advanceTimersByTimeAsync(99);
    expect(run).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(run).toHaveBeenCalledTimes(3);
    await loop.stop();
  } finally {
    vi.useRealTimers();
  }
});

it("ends its rest when it was notified during a failed run", async () => {
  vi.useFakeTimers();
  try {
    const wake = createWake();
    const run = vi.fn(async () => false);
    const pace = { everyMs: 100, restMs: 60_000, wake };
    const loop = startLoop({ name: "test", ...pace, log: silentLog, run });
    await vi.advanceTimersByTimeAsync(11_000);
    run.mockClear();
    run.mockImplementationOnce(async () => {
      wake.notify();
      throw new Error("broken");
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(run.mock.calls.length).toBeGreaterThan(1);
    await loop.stop();
  } finally {
    vi.useRealTimers();
  }
});
