import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { addDays, dayOf, easterSunday, nthWeekday, weekday } from "./days.ts";

/**
 * The banking days of a payment system or a country. Rules give the holidays of `FEDERAL_RESERVE`
 * (ACH, US dollar wires) and `T2` (SEPA, euros). Other countries publish their holidays year by
 * year. A listed calendar therefore covers a limited period, and days outside of that period are
 * unknown.
 */
export type BankCalendar = "FEDERAL_RESERVE" | "T2" | ListedCalendar;

/** Holidays as published by a central bank or a bank. */
export type ListedCalendar = {
  readonly from: string;
  readonly through: string;
  readonly holidays: readonly string[];
  /** Weekdays on which banks are closed. 1 is Monday, so Saturday and Sunday are `[6, 7]`. */
  readonly weekend: readonly number[];
};

/** A listed calendar ends before the requested day. */
export type CalendarEnds = Refused<"CALENDAR_ENDS">;

/** The maximum number of consecutive closed days. A calendar with more is wrong. */
const closedMax = 40;

export function isBankingDay(calendar: BankCalendar, day: string): boolean | CalendarEnds {
  if (typeof calendar !== "string") {
    if (day < calendar.from || day > calendar.through) return refused("CALENDAR_ENDS");
    return !calendar.weekend.includes(weekday(day)) && !calendar.holidays.includes(day);
  }
  if (weekday(day) >= 6) return false;
  return !holidaysOf(calendar, day.slice(0, 4)).includes(day);
}

const rules = { FEDERAL_RESERVE: federalReserveHolidays, T2: t2Holidays } as const;
/** The holidays of each year, computed on first use. */
const holidays = new Map<string, readonly string[]>();

function holidaysOf(calendar: keyof typeof rules, year: string): readonly string[] {
  const key = `${calendar} ${year}`;
  const known = holidays.get(key) ?? rules[calendar](Number(year));
  holidays.set(key, known);
  return known;
}

/**
 * Holidays of the Federal Reserve Banks. A holiday on a Sunday moves to the Monday after it. A
 * holiday on a Saturday does not move: the Friday before it is a banking day (Federal Reserve,
 * FedACH schedule).
 */
function federalReserveHolidays(year: number): string[] {
  const fixed = [
    ...[dayOf(year, 1, 1), dayOf(year, 7, 4), dayOf(year, 11, 11), dayOf(year, 12, 25)],
    // Juneteenth is a holiday since 2021.
    ...(year >= 2021 ? [dayOf(year, 6, 19)] : []),
  ].map((day) => (weekday(day) === 7 ? addDays(day, 1) : day));
  return [
    ...fixed,
    nthWeekday(year, 1, 1, 3),
    nthWeekday(year, 2, 1, 3),
    nthWeekday(year, 5, 1, -1),
    nthWeekday(year, 9, 1, 1),
    nthWeekday(year, 10, 1, 2),
    nthWeekday(year, 11, 4, 4),
  ];
}

/**
 * Closing days of T2, which also apply to SEPA (ECB, since 2002). A closing day on a weekend does
 * not move to another day.
 */
function t2Holidays(year: number): string[] {
  const easter = easterSunday(year);
  return [
    ...[dayOf(year, 1, 1), addDays(easter, -2), addDays(easter, 1), dayOf(year, 5, 1)],
    ...[dayOf(year, 12, 25), dayOf(year, 12, 26)],
  ];
}

/** Returns `day` if banks of all calendars are open on it, else the next day on which they are. */
export function bankingDayFrom(
  calendars: readonly BankCalendar[],
  day: string,
): string | CalendarEnds {
  for (let ahead = 0; ahead <= closedMax; ahead += 1) {
    const candidate = addDays(day, ahead);
    const results = calendars.map((calendar) => isBankingDay(calendar, candidate));
    const ends = results.find((result) => typeof result !== "boolean");
    if (ends !== undefined) return ends;
    if (results.every((isOpen) => isOpen)) return candidate;
  }
  throw new Error(`no banking day found in the ${closedMax} days from ${day}`);
}

/**
 * Adds banking days to a day. With 0, returns the first banking day from that day on. Use this for
 * value dates, and for the end of the period in which an entry can be returned.
 */
export function addBankingDays(
  calendars: readonly BankCalendar[],
  day: string,
  days: number,
): string | CalendarEnds {
  let at = bankingDayFrom(calendars, day);
  for (let left = days; left > 0 && typeof at === "string"; left -= 1) {
    at = bankingDayFrom(calendars, addDays(at, 1));
  }
  return at;
}
