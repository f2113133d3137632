import { silentLog } from "@disburse/chassis/log.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LeasedPayout } from "../payouts/work.ts";
import type { RailWorkerDeps } from "./steps.ts";
import { startRailWorkers } from "./worker.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/**
 * Starts workers and counts their polls. They find `due` payouts, whose writes wait for `written`.
 */
function started(count: number) {
  const found = { polls: 0, due: [] as LeasedPayout[], mayHaveMore: false };
  const written = Promise.withResolvers<void>();
  const leases = {
    next: async () => {
      found.polls += 1;
      return found.due.shift();
    },
    mayHaveMore: () => found.mayHaveMore,
    releaseHeld: vi.fn(),
    done: vi.fn(),
  };
  const deps = {
    ...{ leases, log: silentLog, clock: { now: () => new Date() } },
    payouts: { updateOne: () => written.promise },
  };
  const work = createWake();
  const workers = startRailWorkers(deps as unknown as RailWorkerDeps, { count, work });
  return { ...workers, wake: work.notify, found, leases, written };
}

/** An ended payout: one write completes its work. */
const ended = {
  payout: { id: "po_1", createdAt: new Date(0), progress: { stage: "rejected" } },
  ...{ leaseToken: "token", until: new Date(0), origin: {}, calls: [] },
} as unknown as LeasedPayout;

describe("workers that find nothing", () => {
  it("poll once, then one of them ten times a second, later every second, the others every minute", async () => {
    const { found, stop } = started(3);
    await pass(99);
    expect(found.polls).toBe(3);
    await pass(1);
    expect(found.polls).toBe(4);
    await pass(10_000);
    expect(found.polls).toBe(3 + 101);
    await pass(49_899);
    expect(found.polls).toBe(3 + 101 + 49);
    await pass(1);
    expect(found.polls).toBe(3 + 101 + 49 + 2);
    await stop();
  });

  it("poll no sooner though there may be work: another worker has it", async () => {
    const { found, stop } = started(1);
    found.mayHaveMore = true;
    await pass(99);
    expect(found.polls).toBe(1);
    await stop();
  });

  it("are woken one at a time", async () => {
    const { found, wake, stop } = started(3);
    await pass(50);
    wake();
    await pass(0);
    expect(found.polls).toBe(4);
    await stop();
  });
});

describe("a worker that has found a payout", () => {
  it("is left alone: another one is woken", async () => {
    const { found, wake, written, stop } = started(2);
    await pass(50);
    found.due.push(ended);
    wake();
    await pass(0);
    expect(found.polls).toBe(3);
    wake();
    await pass(0);
    expect(found.polls).toBe(4);
    written.resolve();
    await stop();
  });

  it("wakes another one where there may be more", async () => {
    const { found, wake, written, stop } = started(2);
    await pass(50);
    found.due.push(ended);
    found.mayHaveMore = true;
    wake();
    await pass(0);
    expect(found.polls).toBe(4);
    written.resolve();
    await stop();
  });

  it.each([
    ["polls again at once if there may be more", true, 3],
    ["rests where there is no more", false, 2],
  ])("%s, and can be woken", async (_what, mayHaveMore, polls) => {
    const { found, leases, wake, written, stop } = started(1);
    await pass(50);
    found.due.push(ended);
    wake();
    await pass(0);
    found.mayHaveMore = mayHaveMore;
    written.resolve();
    await pass(0);
    expect(found.polls).toBe(polls);
    expect(leases.done.mock.calls).toEqual([[ended]]);
    wake();
    await pass(0);
    expect(found.polls).toBe(polls + 1);
    await stop();
  });
});

it("when they stop, leave what they hold to others, and no timer", async () => {
  const { found, leases, stop } = started(2);
  await pass(0);
  await stop();
  expect(leases.releaseHeld).toHaveBeenCalledTimes(1);
  expect([vi.getTimerCount(), found.polls]).toEqual([0, 2]);
});
