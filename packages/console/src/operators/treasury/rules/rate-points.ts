/** A historic rate as decimal text, with its start time. */
export type DatedRate = { readonly rate: string; readonly asOf: string };

/**
 * Converts a rate history, newest first, to chart points, oldest first. If several rates have the
 * same time, keeps the rate in force. Extends the last point to `untilMs`. Numbers only set
 * positions; labels show the exact text.
 */
export function ratePoints(history: readonly DatedRate[], untilMs: number) {
  const byTime = new Map<number, string>();
  for (const { rate, asOf } of history) {
    const at = Date.parse(asOf);
    if (!byTime.has(at)) byTime.set(at, rate);
  }
  const points = [...byTime]
    .map(([at, text]) => ({ at, value: Number(text), text }))
    .sort((one, two) => one.at - two.at);
  const last = points.at(-1);
  return last === undefined || last.at >= untilMs ? points : [...points, { ...last, at: untilMs }];
}

/** Returns the lowest and highest rate as text, or undefined without points. */
export function rateBounds(points: ReturnType<typeof ratePoints>) {
  const sorted = points.toSorted((one, two) => one.value - two.value);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined) return undefined;
  return { lowest: lowest.text, highest: highest.text };
}
