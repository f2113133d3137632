const dayMs = 86_400_000;

/** Adds days to a `yyyy-mm-dd` day; a negative number subtracts them. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** Returns the ISO 8601 weekday: 1 is Monday, 7 is Sunday. */
export function weekday(day: string): number {
  return new Date(`${day}T00:00:00.000Z`).getUTCDay() || 7;
}

/** Year, month and day count from 1. */
export function dayOf(year: number, month: number, day: number): string {
  return [
    ...[String(year).padStart(4, "0"), String(month).padStart(2, "0")],
    String(day).padStart(2, "0"),
  ].join("-");
}

/** Returns the `nth` Monday, Tuesday and so on of a month. 1 is the first, -1 the last. */
export function nthWeekday(year: number, month: number, isoWeekday: number, nth: number): string {
  if (nth < 0) {
    const last = addDays(month === 12 ? dayOf(year + 1, 1, 1) : dayOf(year, month + 1, 1), -1);
    return addDays(last, -((weekday(last) - isoWeekday + 7) % 7));
  }
  const first = dayOf(year, month, 1);
  return addDays(first, ((isoWeekday - weekday(first) + 7) % 7) + 7 * (nth - 1));
}

/** Easter Sunday of the Gregorian calendar (the algorithm of Meeus, Jones and Butcher). */
export function easterSunday(year: number): string {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const correction = Math.floor((century + 8) / 25);
  const moonShift = Math.floor((century - correction + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - moonShift + 15) % 30;
  const shift =
    (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * shift) / 451);
  const days = epact + shift - 7 * late + 114;
  return dayOf(year, Math.floor(days / 31), (days % 31) + 1);
}
