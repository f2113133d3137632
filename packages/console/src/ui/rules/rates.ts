/** Returns a share in percent, or null of none. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : (part / whole) * 100;
}

/** Formats a share: `98.5 % (197/200)`, rounded down, so that only all of them are 100 %. */
export function rateText(part: number, whole: number): string {
  const percent = percentOf(part, whole);
  return percent === null ? "–" : `${Math.floor(percent * 10) / 10} % (${part}/${whole})`;
}
