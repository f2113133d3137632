/** The only time format of the API, in UTC: `2026-11-20T11:26:00.123Z`. */
export function isoTime(time: Date): string {
  return time.toISOString();
}

const isoDate = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Accepts `yyyy-mm-dd` for a day that exists. */
export function isCalendarDate(text: string): boolean {
  const match = isoDate.exec(text);
  if (match === null || match[1] === "0000") return false;
  const day = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?`;
const offset = String.raw`(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)`;
const isoMoment = new RegExp(String.raw`^(\d{4}-\d{2}-\d{2})(?:T${time}${offset})?$`);

/**
 * Parses ISO 8601 with an offset, or a day as its midnight in UTC. Returns `undefined` otherwise.
 */
export function parseMoment(text: string): Date | undefined {
  const day = isoMoment.exec(text)?.[1];
  return day !== undefined && isCalendarDate(day) ? new Date(text) : undefined;
}

/** The edges of a service read a clock; domain functions take a `Date`. */
export type Clock = { readonly now: () => Date };

export const systemClock: Clock = { now: () => new Date() };

/** Advances a time by a monotonic clock's milliseconds, so it never jumps or goes back. */
export function steadyClock(read: Date, elapsed: () => number): Clock {
  const originMs = read.getTime() - elapsed();
  return { now: () => new Date(originMs + elapsed()) };
}
