import { expect, it } from "vitest";
import { batchSize, gapWindow, retryAfterMs } from "./window.ts";

const now = new Date("2026-11-20T12:00:00.000Z");
const minutes = (count: number): Date => new Date(now.getTime() - count * 60_000);
const dayMs = 86_400_000;
const terms = { reachMs: dayMs, overlapMs: 360_000 };

it.each([
  ["the last day, the first time", undefined, [minutes(1_447), minutes(1)]],
  ["what came since, and what may have come late", minutes(6), [minutes(12), minutes(1)]],
  ["all of an outage", minutes(600), [minutes(606), minutes(1)]],
  ["nothing that may be deleted", minutes(2_880), [minutes(2_880), minutes(1)]],
])("sweeps %s", (_what, through, [from, to]) => {
  expect(gapWindow(through, now, { ...terms, reachMs: 2 * dayMs })).toEqual({ from, to });
});

it.each([
  ["a moment ago", minutes(1)],
  ["in the future, for a clock went back", minutes(-5)],
])("sweeps nothing if the last sweep ended %s", (_when, through) => {
  expect(gapWindow(through, now, terms)).toBeUndefined();
});

it("retries after 30 s, doubling up to an hour", () => {
  expect([1, 2, 3, 7, 8, 9, 2_000].map(retryAfterMs)).toEqual([
    ...[30_000, 60_000, 120_000, 1_920_000],
    ...[3_600_000, 3_600_000, 3_600_000],
  ]);
});

it("repairs a gap that failed twice alone", () => {
  expect([0, 1, 2, 3, 50].map(batchSize)).toEqual([100, 10, 1, 1, 1]);
});
