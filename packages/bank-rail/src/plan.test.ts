import { isRefused } from "@disburse/kernel/refusal.ts";
import { describe, expect, it } from "vitest";
import { dayThrough, endOfDay, largestOf, lastTimeOf, planOf, scheduleOf } from "./plan.ts";
import { readBankRails } from "./settings.ts";
import { nachaSettings } from "./test-settings.ts";

const [rail] = readBankRails(JSON.stringify([nachaSettings]));
const settings = rail?.schedule;
if (settings === undefined) throw new Error("no schedule");
const schedule = scheduleOf(settings, "USD");
/** Wednesday, 25 November 2026, in New York, which is 5 hours behind UTC; Thursday is a holiday. */
const at = (time: string) => new Date(`2026-11-25T${time}:00.000-05:00`);

describe("when a payment leaves", () => {
  it.each([
    ["before the first window", "09:44", 100n, "09:45", "2026-11-25", "2026-11-25"],
    ["at the moment the first file is written", "09:45", 100n, "16:45", "2026-11-25", "2026-11-27"],
    ["too large for the first window", "09:44", 100_000_001n, "16:45", "2026-11-25", "2026-11-27"],
    [
      "as large as the first window takes",
      "09:44",
      100_000_000n,
      "09:45",
      "2026-11-25",
      "2026-11-25",
    ],
    ["before the last window", "16:44", 100n, "16:45", "2026-11-25", "2026-11-27"],
  ])("%s", (_what, now, minor, due, on, settlesOn) => {
    expect(planOf(schedule, minor, at(now))).toMatchObject({
      ...{ due_at: at(due), on, settles_on: settlesOn },
    });
  });

  it("is the next banking day after the last file of a day", () => {
    const plan = planOf(schedule, 100n, at("16:45"));
    const friday = new Date("2026-11-27T10:00:00.000-05:00");
    expect(plan).toMatchObject({ closes_at: friday, on: "2026-11-27", settles_on: "2026-11-27" });
  });

  it("is not known where a listed calendar ends", () => {
    const calendar = { from: "2026-01-01", through: "2026-11-24", holidays: [], weekend: [6, 7] };
    const plan = planOf({ ...schedule, calendars: [calendar] }, 100n, at("09:00"));
    expect(isRefused(plan)).toBe(true);
  });

  it("has a limit only where every window has one", () => {
    expect(largestOf(schedule)).toBeUndefined();
    const limited = schedule.windows.map((each) => ({ ...each, minorMax: each.minorMax ?? 5n }));
    const [first, ...others] = limited;
    if (first === undefined) throw new Error("no window");
    expect(largestOf({ ...schedule, windows: [first, ...others] })).toBe(100_000_000n);
  });

  it("is the last time of a day that accepts any amount", () => {
    expect(lastTimeOf(schedule)).toBe("16:45");
    expect(lastTimeOf({ ...schedule, leadMs: 60_000 })).toBe("16:59");
    expect(lastTimeOf({ ...schedule, leadMs: 17 * 3_600_000 })).toBe("00:00");
    expect(lastTimeOf({ ...schedule, leadMs: 17 * 3_600_000 + 1 })).toBeUndefined();
  });

  it("is settled at the end of a day in the bank's zone", () => {
    expect(endOfDay(schedule, "2026-11-25", 0)).toEqual(at("23:59"));
    const monday = new Date("2026-11-30T23:59:00.000-05:00");
    expect(endOfDay(schedule, "2026-11-25", 2)).toEqual(monday);
  });

  it.each([
    ["the day before", 0, "2026-11-25T12:00", "2026-11-24"],
    ["with the day itself not over", 0, "2026-11-25T23:59", "2026-11-24"],
    ["with a window of two days still open", 2, "2026-11-25T12:00", "2026-11-20"],
    ["over a holiday and a weekend", 2, "2026-12-01T00:00", "2026-11-25"],
    ["a day before that", 2, "2026-11-30T23:59", "2026-11-24"],
  ])("settled through %s", (_what, days, time, through) => {
    expect(dayThrough(schedule, days, new Date(`${time}:00.000-05:00`))).toBe(through);
  });
});
