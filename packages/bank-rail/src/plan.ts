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

/** When a bank takes files, and how long before its cut-offs ours are written. */
export type BankSchedule = Schedule & { readonly leadMs: number };

/** A schedule as the settings have it. */
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
  if (first === undefined) throw new Error("a schedule without windows was read");
  const { zone, calendars, lead_minutes } = settings;
  return { zone, calendars, windows: [first, ...others], leadMs: lead_minutes * 60_000 };
}

/** The largest payment that a window takes; `undefined`: any. */
export function largestOf({ windows }: Schedule): bigint | undefined {
  const largest = windows.map(({ minorMax }) => minorMax);
  if (largest.includes(undefined)) return undefined;
  return largest.reduce((max, each) => ((each ?? 0n) > (max ?? 0n) ? each : max), 0n);
}

/** When a payment of so many minor units leaves that is taken `now`. */
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

/** Until when of a day, `hh:mm` in the bank's zone, a payment of any amount leaves that day. */
export function lastTimeOf({ windows, leadMs }: BankSchedule): string | undefined {
  const last = windows.findLast(({ minorMax }) => minorMax === undefined) ?? windows.at(-1);
  const [hours = 0, minutes = 0] = last?.cutOff.split(":").map(Number) ?? [];
  const left = hours * 60 + minutes - Math.ceil(leadMs / 60_000);
  // Before midnight it is on the day before, which no one line can say.
  if (left < 0) return undefined;
  const part = (number: number) => String(number).padStart(2, "0");
  return `${part(Math.floor(left / 60))}:${part(left % 60)}`;
}

/** The end of the day so many banking days after a day, in the bank's zone. */
export function endOfDay({ zone, calendars }: Schedule, day: string, days: number) {
  const last = addBankingDays(calendars, day, days);
  return isRefused(last) ? undefined : instantOf(last, "23:59", zone);
}

/** No window for returns and the days without banking around it is as long. */
const searchedDays = 120;

/** The last day so many banking days after which are over now, that of today not among them. */
export function dayThrough({ zone, calendars }: Schedule, days: number, now: Date): string {
  const { day: today } = localTime(now, zone);
  for (let back = 1; back <= searchedDays; back += 1) {
    const day = addDays(today, -back);
    const last = addBankingDays(calendars, day, days);
    // Of a listed calendar that begins later nothing is known: no payment of such a day is there.
    if (isRefused(last)) break;
    if (last < today) return day;
  }
  return "";
}
