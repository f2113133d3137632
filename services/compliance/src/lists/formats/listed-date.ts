import { isCalendarDate } from "@disburse/kernel/time.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** The maximum years of a span. A longer span is useless as a birth date. */
const spanMax = 60;

const years = /\b(1[89]\d\d|20\d\d)\b/g;

/** Returns all years of a span, or `undefined` if the span is not a plausible birth date. */
export function yearSpan(from: string, to: string): string[] | undefined {
  if (!/^\d{4}$/.test(from) || !/^\d{4}$/.test(to)) return undefined;
  const count = Number(to) - Number(from) + 1;
  if (count < 1 || count > spanMax) return undefined;
  return Array.from({ length: count }, (_, at) => String(Number(from) + at));
}

/**
 * Returns `yyyy-mm-dd`, `yyyy-mm` or `yyyy`. A part may be empty or zero. Returns `undefined` if
 * all parts are.
 */
export function partialDate(year: string, month: string, day: string): string | undefined {
  if (!/^\d{4}$/.test(year) || Number(year) === 0) return undefined;
  if (!/^\d{1,2}$/.test(month) || Number(month) === 0) return year;
  const inYear = `${year}-${month.padStart(2, "0")}`;
  if (Number(month) > 12) return undefined;
  if (!/^\d{1,2}$/.test(day) || Number(day) === 0) return inYear;
  const whole = `${inYear}-${day.padStart(2, "0")}`;
  return isCalendarDate(whole) ? whole : undefined;
}

/**
 * Reads dates in OFAC's English form: `08 Sep 1966`, `Sep 1966`, `1966`, `circa 1965`, `1958 to
 * 1963`, `01 Jan 1960 to 31 Dec 1961`. Approximate dates and spans become years. Returns
 * `undefined` for other text.
 */
export function datesInWords(text: string): string[] | undefined {
  const [from, to, ...more] = text.match(years) ?? [];
  if (from === undefined || more.length > 0) return undefined;
  if (to !== undefined) return yearSpan(from, to);
  if (/\b(circa|c\.|approximately|about)/i.test(text)) return [from];
  const [, day = "", word = "", rest] =
    /^(?:(\d{1,2})\s+)?(?:([a-z]{3})[a-z]*\.?\s+)?(\d{4})$/i.exec(text.trim()) ?? [];
  if (rest === undefined) return undefined;
  const month = months.indexOf(word.toLowerCase()) + 1;
  if (word !== "" && month === 0) return undefined;
  const date = partialDate(from, word === "" ? "" : String(month), day);
  return date === undefined ? undefined : [date];
}
