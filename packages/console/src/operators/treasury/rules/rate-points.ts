/** A rate of a corridor's history: decimal text, and from when it holds. */
export type DatedRate = { readonly rate: string; readonly asOf: string };

/**
 * What a chart draws of a history that has the rate in force first: oldest first, and of several
 * with the same time the one that is in force; the last one holds until `untilMs`. Numbers place
 * points only; what is read is the text.
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

/** The lowest and the highest rate among points, as texts; nothing of none. */
export function rateBounds(points: ReturnType<typeof ratePoints>) {
  const sorted = points.toSorted((one, two) => one.value - two.value);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined) return undefined;
  return { lowest: lowest.text, highest: highest.text };
}
