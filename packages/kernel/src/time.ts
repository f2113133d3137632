/** Formats a time in UTC, in the only format of the API: `2026-11-20T11:26:00.123Z`. */
export function isoTime(time: Date): string {
  return time.toISOString();
}

const isoDate = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Returns true for an existing day in the form `yyyy-mm-dd`. */
export function isCalendarDate(text: string): boolean {
  const match = isoDate.exec(text);
  if (match === null || match[1] === "0000") return false;
  const day = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?`;
const offset = String.raw`(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const isoMoment = new RegExp(String.raw`^(\d{4}-\d{2}-\d{2})(?:T${time}${offset})?$`);

/**
 * Parses an ISO 8601 time with an offset, or a day, which means midnight UTC. Cuts it to
 * milliseconds. Returns `undefined` for other text.
 */
export function parseMoment(text: string): Date | undefined {
  const day = isoMoment.exec(text)?.[1];
  if (day === undefined || !isCalendarDate(day)) return undefined;
  const moment = new Date(text);
  return hasYear(moment) ? moment : undefined;
}

/** An offset can move a time to a year that has no four digits. */
function hasYear(moment: Date): boolean {
  const year = moment.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/**
 * Parses the bound of a range of times, like `parseMoment`. Rounds it up, because stored times have
 * milliseconds: one before a finer bound stays before it.
 */
export function parseBound(text: string): Date | undefined {
  const moment = parseMoment(text);
  if (moment === undefined || !/\.\d{3}\d*[1-9]/.test(text)) return moment;
  const next = new Date(moment.getTime() + 1);
  return hasYear(next) ? next : moment;
}

/**
 * A source of the current time. Only the outer layers of a service read it. Domain functions take a
 * `Date`.
 */
export type Clock = { readonly now: () => Date };

export const systemClock: Clock = { now: () => new Date() };

/**
 * Returns a clock that starts at a given time and advances with a monotonic clock's milliseconds.
 * It never jumps or goes back.
 */
export function steadyClock(read: Date, elapsed: () => number): Clock {
  const originMs = read.getTime() - elapsed();
  return { now: () => new Date(originMs + elapsed()) };
}
