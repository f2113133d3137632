/** The maximum number of typing errors in a name for which a suggestion is made. */
const distanceMax = 3;

/** Returns the most similar known name, or `undefined` if none is similar enough. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  // A distance is at least the difference of the lengths. Clients can send very long names.
  const [best] = known
    .filter((each) => Math.abs(each.length - name.length) <= distanceMax)
    .map((each) => ({ each, distance: distanceOf(name.toLowerCase(), each.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  if (best === undefined) return undefined;
  const isNear = best.distance <= Math.min(distanceMax, Math.floor(best.each.length / 2));
  return isNear ? best.each : undefined;
}

/** Returns `; did you mean "rate"?`, or "" if no known name is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/** Counts insertions, deletions, replacements and swaps of adjacent letters. */
function distanceOf(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_each, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped && row > 1 && column > 1
            ? (before[column - 2] ?? 0) + 1
            : one.length + other.length,
        ),
      );
    }
    before = last;
    last = next;
  }
  return last[other.length] ?? 0;
}
