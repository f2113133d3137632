import { describe, expect, it } from "vitest";
import { nextCheckAt } from "./check.ts";

const now = new Date("2026-11-20T10:00:00Z");
const minutesUntil = (at: Date): number => (at.getTime() - now.getTime()) / 60_000;

describe("nextCheckAt", () => {
  it.each([
    [12, 0, 720],
    [1, 0, 60],
    [12, 1, 5],
    [12, 2, 10],
    [12, 8, 640],
    [12, 9, 720],
    [12, 1_000, 720],
    [1, 5, 60],
  ])("every %i hours, after %i failures, waits %i minutes", (everyHours, failures, minutes) => {
    expect(minutesUntil(nextCheckAt(now, everyHours, failures, 0.5))).toBe(minutes);
  });

  it("is up to a tenth sooner or later", () => {
    expect(minutesUntil(nextCheckAt(now, 10, 0, 0))).toBe(540);
    expect(minutesUntil(nextCheckAt(now, 10, 0, 1))).toBe(660);
  });
});
