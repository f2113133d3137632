import {
  addBankingDays,
  type BankCalendar,
  bankingDayFrom,
  type CalendarEnds,
} from "./bank-calendar.ts";
import { addDays } from "./days.ts";

/** A time of each banking day until which a bank takes files. */
export type Window = {
  /** In the schedule's zone, `hh:mm`: what comes then or later waits for the next window. */
  readonly cutOff: string;
  /** Banking days from that day to settlement: 0 on the same one. */
  readonly settlesAfterDays: number;
  /** The largest payment in minor units; without one any. */
  readonly minorMax?: bigint;
};

/** When a bank takes files, and when they settle. */
export type Schedule = {
  /** The bank's zone, by its IANA name. */
  readonly zone: string;
  /** All of them have to be open: a wire in dollars to Frankfurt needs two. */
  readonly calendars: readonly BankCalendar[];
  /** In the order of their cut-offs. */
  readonly windows: readonly [Window, ...Window[]];
};

/** The largest entry of same-day ACH in cents (Nacha, since March 2022: one million dollars). */
export const sameDayCentsMax = 100_000_000n;

/** The next window of a payment. */
export type NextWindow = {
  readonly window: Window;
  /** The banking day of the window, in the bank's zone. */
  readonly on: string;
  /** When it closes. */
  readonly closesAt: Date;
  readonly settlesOn: string;
};

/**
 * The next window that takes a payment of so many minor units. At the cut-off itself a window is
 * closed. A payment that no window takes is a bug of the profile, and throws.
 */
export function nextWindow(
  { zone, calendars, windows }: Schedule,
  minor: bigint,
  now: Date,
): NextWindow | CalendarEnds {
  const { day: today, time } = localTime(now, zone);
  const fitting = windows.filter(({ minorMax }) => minorMax === undefined || minor <= minorMax);
  const [first] = fitting;
  if (first === undefined) throw new Error("no window takes a payment of this amount");
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

/** Made once for each zone: that costs some fifty times what its use does. */
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

/** Day and time of day, `hh:mm`, of a moment in a zone. */
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
 * The moment of a time of day in a zone. A time that the clock skips in spring is the moment at
 * which it is put forward; of one that comes twice in autumn it is either.
 */
export function instantOf(day: string, time: string, zone: string): Date {
  const wanted = `${day}T${time}`;
  const minuteMs = 60_000;
  // No zone is further than 14 hours from UTC; a day has at most one change of its clock.
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
