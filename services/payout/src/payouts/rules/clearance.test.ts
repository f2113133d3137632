import { describe, expect, it } from "vitest";
import { clearanceWait, type UnclearedStatus } from "./clearance.ts";

const since = new Date("2026-11-21T10:00:00.000Z");
const later = (ms: number) => new Date(since.getTime() + ms);
const stuckAfterMs = 3_600_000;

describe("a payout whose beneficiary is not cleared", () => {
  it.each([
    ["at the first look", 0, 2_000],
    ["for a while", 16_000, 2_000],
    ["for a minute", 80_000, 10_000],
    ["for an hour", 3_600_000, 120_000],
    ["by a clock that was set back", -5_000, 2_000],
  ])("that waits %s is looked at again after a growing pause", (_what, waitedMs, waitMs) => {
    const before = { status: "review", since } as const;
    const wait = clearanceWait(before, "review", later(waitedMs), stuckAfterMs);
    expect(wait).toMatchObject({ waitMs, isChange: false, uncleared: before });
  });

  it.each<[UnclearedStatus, number, boolean]>([
    ["pending", 0, false],
    ["review", stuckAfterMs - 1, false],
    ["review", stuckAfterMs, true],
    ["pending", stuckAfterMs, true],
    ["blocked", 0, true],
    ["missing", 0, true],
  ])("needs an operator when it is %s after %i ms: %s", (status, waitedMs, expected) => {
    const before = waitedMs === 0 ? undefined : ({ status, since } as const);
    const wait = clearanceWait(before, status, later(waitedMs), stuckAfterMs);
    expect(wait.needsOperator).toBe(expected);
  });

  it("waits since the first check, also when its status changes", () => {
    const wait = clearanceWait({ status: "review", since }, "blocked", later(60_000), stuckAfterMs);
    expect(wait).toMatchObject({ isChange: true, uncleared: { status: "blocked", since } });
    const first = clearanceWait(undefined, "review", since, stuckAfterMs);
    expect(first).toMatchObject({ isChange: true, uncleared: { status: "review", since } });
  });
});
