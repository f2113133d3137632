import { addBankingDays, type CalendarEnds } from "@disburse/bank-files/calendar/bank-calendar.ts";
import { addDays } from "@disburse/bank-files/calendar/days.ts";
import {
  instantOf,
  localTime,
  nextWindow,
  type Schedule,
  type Window,
} from "@disburse/bank-files/calendar/window.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { StoredPlan } from "./documents.ts";
import { minorOf } from "./settings.ts";
import type { BankScheduleSettings } from "./settings-parts.ts";

/** The bank's schedule. Files are written `leadMs` before a cut-off. */
export type BankSchedule = Schedule & { readonly leadMs: number };

export function scheduleOf(settings: BankScheduleSettings, currency: string): BankSchedule {
  const [first, ...others] = settings.windows.map(
    ({ cut_off, settles_after_days, max }): Window => {
      const minorMax = max === undefined ? undefined : minorOf(max, currency);
      const days = settles_after_days;
      return {
        cutOff: cut_off,
        settlesAfterDays: days,
        ...(minorMax !== undefined && { minorMax }),
      };
    },
  );
  if (first === undefined) throw new Error("the rail's settings contain no window");
  const { zone, calendars, lead_minutes } = settings;
  return { zone, calendars, windows: [first, ...others], leadMs: lead_minutes * 60_000 };
}

/**
 * Returns the largest payment that any window accepts. Returns `undefined` if any amount is
 * accepted.
 */
export function largestOf({ windows }: Schedule): bigint | undefined {
  const largest = windows.map(({ minorMax }) => minorMax);
  if (largest.includes(undefined)) return undefined;
  return largest.reduce((max, each) => ((each ?? 0n) > (max ?? 0n) ? each : max), 0n);
}

/** Plans a payment of this amount, in minor units, that is accepted at `now`. */
export function planOf(
  schedule: BankSchedule,
  minor: bigint,
  now: Date,
): StoredPlan | CalendarEnds {
  const { leadMs } = schedule;
  const next = nextWindow(schedule, minor, new Date(now.getTime() + leadMs));
  if (isRefused(next)) return next;
  return {
    due_at: new Date(next.closesAt.getTime() - leadMs),
    closes_at: next.closesAt,
    on: next.on,
    settles_on: next.settlesOn,
  };
}

/**
 * Returns the latest local time, `hh:mm`, at which a payment of any amount can be accepted and
 * leave the same day.
 */
export function lastTimeOf({ windows, leadMs }: BankSchedule): string | undefined {
  const last = windows.findLast(({ minorMax }) => minorMax === undefined) ?? windows.at(-1);
  const [hours = 0, minutes = 0] = last?.cutOff.split(":").map(Number) ?? [];
  const left = hours * 60 + minutes - Math.ceil(leadMs / 60_000);
  // The time is on the previous day. `hh:mm` can't express that.
  if (left < 0) return undefined;
  const part = (number: number) => String(number).padStart(2, "0");
  return `${part(Math.floor(left / 60))}:${part(left % 60)}`;
}

/** Returns the end of the day that is `days` banking days after `day`, in the bank's time zone. */
export function endOfDay({ zone, calendars }: Schedule, day: string, days: number) {
  const last = addBankingDays(calendars, day, days);
  return isRefused(last) ? undefined : instantOf(last, "23:59", zone);
}

/**
 * The number of calendar days to search. It exceeds every window for returns, including non-banking
 * days around that window.
 */
const searchedDays = 120;

/**
 * Returns the latest day after which `days` full banking days have passed. Today does not count.
 */
export function dayThrough({ zone, calendars }: Schedule, days: number, now: Date): string {
  const { day: today } = localTime(now, zone);
  for (let back = 1; back <= searchedDays; back += 1) {
    const day = addDays(today, -back);
    const last = addBankingDays(calendars, day, days);
    // A calendar with listed days does not cover days before its first one. No payment has such a
    // day.
    if (isRefused(last)) break;
    if (last < today) return day;
  }
  return "";
}
