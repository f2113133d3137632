import { expect, test } from "vitest";
import { totalsOf } from "./totals.ts";

const now = new Date("2026-03-08T12:00:00.000Z");

test("counts alerts by state and age, on both sides of a limit", () => {
  const { states, older, oldestSeconds } = totalsOf(
    [
      { state: "open", createdAt: "2026-03-07T12:00:00.000Z" },
      { state: "open", createdAt: "2026-03-07T12:00:00.001Z" },
      { state: "escalated", createdAt: "2026-03-01T12:00:00.000Z" },
    ],
    now,
  );
  expect(Object.fromEntries(states)).toEqual({ open: 2, escalated: 1 });
  expect(older).toEqual([
    { days: 1, count: 2 },
    { days: 3, count: 1 },
    { days: 7, count: 1 },
  ]);
  expect(oldestSeconds).toBe(604_800);
});

test("counts nothing without alerts", () => {
  expect(totalsOf([], now).oldestSeconds).toBe(0);
});
