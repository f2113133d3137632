import { type Refused, refused } from "./refusal.ts";
import { isCalendarDate } from "./time.ts";

const dayMs = 86_400_000;
/** A quarter has at most 92 days. */
export const daysMax = 92;
const daysByDefault = 30;

/** UTC days without gaps, as `yyyy-mm-dd`. `end` is the midnight after the last day. */
export type Days = {
  readonly days: readonly string[];
  readonly start: Date;
  readonly end: Date;
};

/** Returns the UTC day of a time as `yyyy-mm-dd`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/**
 * Reads the first and the last day of a report. "" for the last day means today, and for the first
 * day the 30 days until the last one. Days after today are left out.
 */
export function readDays(from: string, to: string, now: Date): Days | Refused<"INVALID_REQUEST"> {
  const malformed = Object.entries({ first_day: from, last_day: to }).find(
    ([, text]) => text !== "" && !isCalendarDate(text),
  );
  if (malformed !== undefined) return invalid(`${malformed[0]}: must be a day such as 2026-11-20`);
  const today = Date.parse(dayOf(now));
  const last = to === "" ? today : Math.min(Date.parse(to), today);
  const first = from === "" ? last - (daysByDefault - 1) * dayMs : Date.parse(from);
  if (first > last) return invalid("first_day: must not be after `last_day` or today (UTC)");
  const count = (last - first) / dayMs + 1;
  if (count > daysMax)
    return invalid(`first_day: must be at most ${daysMax - 1} days before \`last_day\``);
  const days = Array.from({ length: count }, (_, at) => dayOf(new Date(first + at * dayMs)));
  return { days, start: new Date(first), end: new Date(last + dayMs) };
}

const invalid = (detail: string) => refused("INVALID_REQUEST", detail);
