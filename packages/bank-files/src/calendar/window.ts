import {
  addBankingDays,
  type BankCalendar,
  bankingDayFrom,
  type CalendarEnds,
} from "./bank-calendar.ts";
import { addDays } from "./days.ts";

/**
 * A processing window of a bank. On each banking day the bank accepts files for the window until
 * the cut-off.
 */
export type Window = {
  /** `hh:mm` in the schedule's zone. Files at this time or later wait for the next window. */
  readonly cutOff: string;
  /** The number of banking days until settlement. 0 settles on the same day. */
  readonly settlesAfterDays: number;
  /** The largest accepted payment in minor units. Without it, there is no limit. */
  readonly minorMax?: bigint;
};

/** The daily windows of a bank and their settlement days. */
export type Schedule = {
  /** The IANA name of the bank's time zone. */
  readonly zone: string;
  /**
   * The bank accepts files only on days on which all these calendars are open. A dollar wire to
   * Frankfurt needs both the US and the European calendar.
   */
  readonly calendars: readonly BankCalendar[];
  /** The windows of a day, ordered by their cut-offs. */
  readonly windows: readonly [Window, ...Window[]];
};

/** The largest entry of same-day ACH in cents (Nacha, since March 2022: one million dollars). */
export const sameDayCentsMax = 100_000_000n;

export type NextWindow = {
  readonly window: Window;
  /** The banking day of the window, in the bank's zone. */
  readonly on: string;
  readonly closesAt: Date;
  readonly settlesOn: string;
};

/**
 * Returns the next open window for a payment of this amount. A window closes at its cut-off. Throws
 * if every window's maximum is below the amount, because the bank's profile is then wrong.
 */
export function nextWindow(
  { zone, calendars, windows }: Schedule,
  minor: bigint,
  now: Date,
): NextWindow | CalendarEnds {
  const { day: today, time } = localTime(now, zone);
  const fitting = windows.filter(({ minorMax }) => minorMax === undefined || minor <= minorMax);
  const [first] = fitting;
  if (first === undefined) throw new Error("no bank window accepts a payment of this amount");
  let on = bankingDayFrom(calendars, today);
  if (typeof on !== "string") return on;
  let window = on === today ? fitting.find(({ cutOff }) => time < cutOff) : first;
  if (window === undefined) {
    on = bankingDayFrom(calendars, addDays(today, 1));
    if (typeof on !== "string") return on;
    window = first;
  }
  const settlesOn = addBankingDays(calendars, on, window.settlesAfterDays);
  if (typeof settlesOn !== "string") return settlesOn;
  return { window, on, closesAt: instantOf(on, window.cutOff, zone), settlesOn };
}

/** Formatters by time zone. Creating one takes about fifty times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  formats.set(zone, format);
  return format;
}

/** Returns the day and the time of day, `hh:mm`, of a moment in a zone. */
export function localTime(moment: Date, zone: string): { day: string; time: string } {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(moment)
      .map((each) => [each.type, each.value]),
  );
  return {
    day: `${parts.year}-${parts.month}-${parts.day}`,
    time: `${parts.hour}:${parts.minute}`,
  };
}

/**
 * Returns the moment of a time of day in a zone. For a time that the clock skips in spring, it
 * returns the moment of the change. For a time that occurs twice in autumn, it returns either one.
 */
export function instantOf(day: string, time: string, zone: string): Date {
  const wanted = `${day}T${time}`;
  const minuteMs = 60_000;
  // The search range is 15 hours around the time in UTC. No zone differs from UTC by more than 14
  // hours, and a day has at most one clock change.
  let low = Date.parse(`${wanted}:00.000Z`) - 15 * 60 * minuteMs;
  let high = low + 30 * 60 * minuteMs;
  while (high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / (2 * minuteMs)) * minuteMs;
    const { day: localDay, time: localTimeOfDay } = localTime(new Date(middle), zone);
    if (`${localDay}T${localTimeOfDay}` >= wanted) high = middle;
    else low = middle;
  }
  return new Date(high);
}
