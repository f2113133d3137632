import { createWake } from "@disburse/chassis/wake.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Lease, Payouts } from "./document.ts";
import { createLeases } from "./leases.ts";
import type { LeasedPayout } from "./work.ts";

/** Tests when workers are notified of payouts that wait in their process. */

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const soon = (ms: number) => new Date(Date.now() + ms);
const payout = { id: "po_1" };
const leased = { payout, leaseToken: "token", calls: [] } as unknown as LeasedPayout;

function opened() {
  const work = createWake();
  const updateOne = vi.fn(async () => ({ matchedCount: 1 }));
  const clock = { now: () => new Date() };
  const options = { heldMax: 10, pollEveryMs: 60_000, work };
  const payouts = { updateOne } as unknown as Payouts;
  return { leases: createLeases(payouts, clock, "first:8080", options), work };
}

it.each([
  ["is due now", 0, 0],
  ["was due before", -7, 0],
  ["is due soon", 20, 21],
])("notifies when a payout that waits %s", async (_when, inMs, notifiedInMs) => {
  const { leases, work } = opened();
  leases.hold(leased, soon(inMs));
  await vi.advanceTimersByTimeAsync(Math.max(notifiedInMs - 1, 0));
  expect(work.take()).toBe(notifiedInMs === 0);
  await vi.advanceTimersByTimeAsync(1);
  expect(work.take()).toBe(notifiedInMs !== 0);
  expect(vi.getTimerCount()).toBe(0);
});

it("leaves no timer of a payout that was taken, or left to others", async () => {
  const { leases, work } = opened();
  leases.hold({ ...leased, until: soon(8_000) }, soon(20));
  vi.setSystemTime(soon(20));
  expect((await leases.next())?.payout).toBe(payout);
  expect(vi.getTimerCount()).toBe(0);
  leases.hold(leased, soon(20));
  await leases.releaseHeld();
  expect(vi.getTimerCount()).toBe(0);
  expect(work.take()).toBe(false);
});

it("notifies of a new payout: it holds one with a lease and polls for others", () => {
  const { leases, work } = opened();
  const lease: Lease = { token: "token", until: soon(8_000), place: "first:8080" };
  leases.begin({ ...leased, origin: {} }, lease);
  expect([work.take(), leases.isHeld(payout.id)]).toEqual([true, true]);
  const { leases: others, work: othersWork } = opened();
  others.begin({ ...leased, origin: {} });
  expect([othersWork.take(), others.isHeld(payout.id), others.mayHaveMore()]).toEqual([
    ...[true, false, true],
  ]);
});
