/** The most letters by which a name may be mistyped and still be meant. */
const distanceMax = 3;

/** The known name that is most alike; `undefined` where none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((each) => ({ each, distance: distanceOf(name.toLowerCase(), each.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  if (best === undefined) return undefined;
  const isNear = best.distance <= Math.min(distanceMax, Math.floor(best.each.length / 2));
  return isNear ? best.each : undefined;
}

/** `; did you mean "rate"?`, or "" where no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/** Insertions, deletions, replacements and swaps of neighbours that make one text of another. */
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
