import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addBankingDays,
  type BankCalendar,
  bankingDayFrom,
  isBankingDay,
} from "./bank-calendar.ts";
import { addDays, easterSunday, weekday } from "./days.ts";
import { localTime, nextWindow, type Schedule, sameDayCentsMax } from "./window.ts";

/** The weekdays of a year on which a calendar is closed. */
function closed(calendar: BankCalendar, year: number): string[] {
  const days = Array.from({ length: 366 }, (_, at) => addDays(`${year}-01-01`, at));
  return days.filter(
    (day) => day < `${year + 1}` && weekday(day) < 6 && isBankingDay(calendar, day) === false,
  );
}

describe("the Federal Reserve", () => {
  // Published at federalreserve.gov/aboutthefed/k8.htm.
  it.each([
    [
      2021,
      "01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25",
      "Juneteenth and Christmas on Saturdays are not moved, 4 July on a Sunday is",
    ],
    [2022, "01-17 02-21 05-30 06-20 07-04 09-05 10-10 11-11 11-24 12-26", "New Year on a Saturday"],
    [2026, "01-01 01-19 02-16 05-25 06-19 09-07 10-12 11-11 11-26 12-25", "4 July on a Saturday"],
    [2027, "01-01 01-18 02-15 05-31 07-05 09-06 10-11 11-11 11-25", "19 June on a Saturday"],
  ])("is closed on these weekdays of %i", (year, days) => {
    expect(closed("FEDERAL_RESERVE", year)).toEqual(days.split(" ").map((day) => `${year}-${day}`));
  });

  it("is open on the Friday before a holiday on a Saturday", () => {
    expect(isBankingDay("FEDERAL_RESERVE", "2026-07-03")).toBe(true);
    expect(isBankingDay("FEDERAL_RESERVE", "2021-12-31")).toBe(true);
  });
});

describe("T2", () => {
  // Published by the ECB.
  it.each([
    [2024, "01-01 03-29 04-01 05-01 12-25 12-26"],
    [2025, "01-01 04-18 04-21 05-01 12-25 12-26"],
    [2026, "01-01 04-03 04-06 05-01 12-25"],
    [2027, "01-01 03-26 03-29"],
  ])("is closed on these weekdays of %i", (year, days) => {
    expect(closed("T2", year)).toEqual(days.split(" ").map((day) => `${year}-${day}`));
  });

  it.each([
    [1961, "1961-04-02"],
    [2000, "2000-04-23"],
    [2008, "2008-03-23"],
    [2038, "2038-04-25"],
  ])("knows Easter of %i", (year, day) => {
    expect(easterSunday(year)).toBe(day);
  });
});

const india: BankCalendar = {
  from: "2026-01-01",
  through: "2026-12-31",
  holidays: ["2026-01-26", "2026-11-24"],
  weekend: [7],
};

describe("a listed calendar", () => {
  it("is closed on its holidays and its weekend", () => {
    expect(bankingDayFrom([india], "2026-11-24")).toBe("2026-11-25");
    expect(isBankingDay(india, "2026-11-28")).toBe(true);
    expect(isBankingDay(india, "2026-11-29")).toBe(false);
  });

  it("gives no result for days outside of its period", () => {
    expect(isBankingDay(india, "2027-01-01")).toEqual({ refused: "CALENDAR_ENDS" });
    expect(addBankingDays([india], "2026-12-30", 5)).toEqual({ refused: "CALENDAR_ENDS" });
    expect(bankingDayFrom([india], "2025-12-31")).toEqual({ refused: "CALENDAR_ENDS" });
  });
});

describe("banking days", () => {
  it.each([
    ["2026-11-25", 0, "2026-11-25"],
    ["2026-11-25", 1, "2026-11-27"],
    ["2026-11-26", 0, "2026-11-27"],
    ["2026-11-26", 1, "2026-11-30"],
    ["2026-11-25", 2, "2026-11-30"],
  ])("of the Federal Reserve from %s and %i later: %s", (day, days, expected) => {
    expect(addBankingDays(["FEDERAL_RESERVE"], day, days)).toBe(expected);
  });

  it("of two calendars are open in both", () => {
    expect(bankingDayFrom(["FEDERAL_RESERVE", "T2"], "2026-12-25")).toBe("2026-12-28");
    expect(bankingDayFrom(["FEDERAL_RESERVE", "T2"], "2026-04-03")).toBe("2026-04-07");
    expect(bankingDayFrom(["FEDERAL_RESERVE"], "2026-04-03")).toBe("2026-04-03");
  });

  it("do not go back, and adding them one by one is adding them at once", () => {
    const calendar = fc.constantFrom<BankCalendar>("FEDERAL_RESERVE", "T2");
    fc.assert(
      fc.property(calendar, fc.nat(20_000), fc.nat(5), fc.nat(5), (each, start, a, b) => {
        const day = addDays("2000-01-01", start);
        const first = addBankingDays([each], day, a) as string;
        expect(first >= day).toBe(true);
        expect(isBankingDay(each, first)).toBe(true);
        expect(addBankingDays([each], first, b)).toBe(addBankingDays([each], day, a + b));
      }),
    );
  });
});

const ach: Schedule = {
  zone: "America/New_York",
  calendars: ["FEDERAL_RESERVE"],
  windows: [
    { cutOff: "10:00", settlesAfterDays: 0, minorMax: sameDayCentsMax },
    { cutOff: "14:00", settlesAfterDays: 0, minorMax: sameDayCentsMax },
    { cutOff: "20:00", settlesAfterDays: 1 },
  ],
};

describe("the next window", () => {
  it.each([
    // Wednesday before Thanksgiving; New York is five hours behind UTC.
    ["2026-11-25T14:59:59Z", 1n, "2026-11-25", "2026-11-25T15:00:00.000Z", "2026-11-25"],
    ["2026-11-25T15:00:00Z", 1n, "2026-11-25", "2026-11-25T19:00:00.000Z", "2026-11-25"],
    ["2026-11-25T19:00:00Z", 1n, "2026-11-25", "2026-11-26T01:00:00.000Z", "2026-11-27"],
    ["2026-11-25T14:00:00Z", 100_000_000n, "2026-11-25", "2026-11-25T15:00:00.000Z", "2026-11-25"],
    ["2026-11-25T14:00:00Z", 100_000_001n, "2026-11-25", "2026-11-26T01:00:00.000Z", "2026-11-27"],
    ["2026-11-26T01:00:00Z", 1n, "2026-11-27", "2026-11-27T15:00:00.000Z", "2026-11-27"],
    ["2026-11-26T12:00:00Z", 1n, "2026-11-27", "2026-11-27T15:00:00.000Z", "2026-11-27"],
    ["2026-11-28T12:00:00Z", 1n, "2026-11-30", "2026-11-30T15:00:00.000Z", "2026-11-30"],
    // In summer, New York is four hours behind UTC.
    ["2026-07-03T12:00:00Z", 1n, "2026-07-03", "2026-07-03T14:00:00.000Z", "2026-07-03"],
  ])("at %s for %s cents is on %s until %s", (now, cents, on, closesAt, settlesOn) => {
    const next = nextWindow(ach, cents, new Date(now));
    expect(next).toMatchObject({ on, closesAt: new Date(closesAt), settlesOn });
  });

  it("has value dates by all calendars", () => {
    const wire: Schedule = {
      zone: "Europe/Berlin",
      calendars: ["T2", "FEDERAL_RESERVE"],
      windows: [{ cutOff: "16:30", settlesAfterDays: 2 }],
    };
    expect(nextWindow(wire, 1n, new Date("2026-12-23T10:00:00Z"))).toMatchObject({
      on: "2026-12-23",
      closesAt: new Date("2026-12-23T15:30:00.000Z"),
      settlesOn: "2026-12-28",
    });
  });

  it("is not known after the end of a listed calendar", () => {
    const schedule: Schedule = { ...ach, zone: "Asia/Kolkata", calendars: [india] };
    expect(nextWindow(schedule, 1n, new Date("2026-12-31T18:00:00Z"))).toEqual({
      refused: "CALENDAR_ENDS",
    });
  });

  it("closes when the clock is put forward, where it skips the cut-off", () => {
    const schedule: Schedule = {
      zone: "America/New_York",
      // Clocks change on Sundays.
      calendars: [{ from: "2026-01-01", through: "2026-12-31", holidays: [], weekend: [] }],
      windows: [{ cutOff: "02:30", settlesAfterDays: 0 }],
    };
    expect(nextWindow(schedule, 1n, new Date("2026-03-08T06:00:00Z"))).toMatchObject({
      closesAt: new Date("2026-03-08T07:00:00.000Z"),
    });
  });

  it("has a local time to compare with", () => {
    expect(localTime(new Date("2026-11-25T04:59:00Z"), "America/New_York")).toEqual({
      day: "2026-11-24",
      time: "23:59",
    });
  });

  it("throws if no window accepts the amount", () => {
    const schedule: Schedule = { ...ach, windows: [{ ...ach.windows[0], minorMax: 1n }] };
    const now = new Date("2026-11-25T12:00:00Z");
    expect(() => nextWindow(schedule, 2n, now)).toThrow("no bank window");
  });
});
