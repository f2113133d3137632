import { describe, expect, it } from "vitest";
import { daysMax, readDays } from "./days.ts";
import { isRefused } from "./refusal.ts";

const now = new Date("2026-11-30T18:00:00.000Z");

function read(from: string, to: string) {
  const found = readDays(from, to, now);
  return isRefused(found) ? found.detail : [found.days.length, found.days[0], found.days.at(-1)];
}

describe("the days of a report", () => {
  it.each([
    ["", "", [30, "2026-11-01", "2026-11-30"]],
    ["", "2026-03-01", [30, "2026-01-31", "2026-03-01"]],
    ["2026-11-30", "", [1, "2026-11-30", "2026-11-30"]],
    ["2026-08-31", "2026-11-30", [92, "2026-08-31", "2026-11-30"]],
    ["2026-11-29", "2026-12-24", [2, "2026-11-29", "2026-11-30"]],
    ["2024-02-28", "2024-03-01", [3, "2024-02-28", "2024-03-01"]],
  ])("from '%s' to '%s' are without gaps and not after today", (from, to, expected) => {
    expect(read(from, to)).toEqual(expected);
  });

  it.each([
    [
      "2026-08-30",
      "2026-11-30",
      `first_day: must be at most ${daysMax - 1} days before \`last_day\``,
    ],
    ["2026-11-02", "2026-11-01", "first_day: must not be after `last_day` or today (UTC)"],
    ["2026-12-01", "", "first_day: must not be after `last_day` or today (UTC)"],
    ["2026-02-30", "", "first_day: must be a day such as 2026-11-20"],
    ["", "2026-11-30T00:00:00Z", "last_day: must be a day such as 2026-11-20"],
    ["yesterday", "", "first_day: must be a day such as 2026-11-20"],
  ])("from '%s' to '%s' are refused", (from, to, detail) => {
    expect(read(from, to)).toBe(detail);
  });

  it("end at the midnight after the last one", () => {
    expect(readDays("2026-11-01", "2026-11-01", now)).toMatchObject({
      start: new Date("2026-11-01T00:00:00.000Z"),
      end: new Date("2026-11-02T00:00:00.000Z"),
    });
  });
});
