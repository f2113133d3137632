/**
 * ISO 8601 UTC with milliseconds, the one form of a time on the wire: `2026-11-20T11:26:00.123Z`.
 */
export function isoTime(time: Date): string {
  return time.toISOString();
}

const isoDate = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Whether a text is a day that the calendar has, as `yyyy-mm-dd`. */
export function isCalendarDate(text: string): boolean {
  const match = isoDate.exec(text);
  if (match === null || match[1] === "0000") return false;
  const day = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Where time comes from at the edges of a service; domain functions take a `Date`. */
export type Clock = { readonly now: () => Date };

export const systemClock: Clock = { now: () => new Date() };
