/** Fine enough that what shares the last bin hardly differs. */
const binCount = 256;

/** How many to take: `count`, and up to `most` where the last ones are equal in all. */
export type HowMany = { readonly count: number; readonly most: number };

/**
 * The places with the most credit on the board, in no order. Of those that share the last bin of
 * credit the smallest are taken first; all that are equal in size too, as far as `most` goes.
 * Walks the places twice and sorts only one bin.
 */
export function highest(
  places: readonly number[],
  board: Float32Array,
  { count, most }: HowMany,
  sizeOf: (place: number) => number,
): number[] {
  if (places.length <= count) return [...places];
  const top = places.reduce((sofar, place) => Math.max(sofar, board[place] ?? 0), 0);
  const binOf = (place: number): number =>
    Math.min(binCount - 1, Math.floor(((board[place] ?? 0) / top) * binCount));
  const bins = new Uint32Array(binCount);
  for (const place of places) bins[binOf(place)] = (bins[binOf(place)] ?? 0) + 1;
  let last = binCount;
  let above = 0;
  while (above < count) {
    last -= 1;
    above += bins[last] ?? 0;
  }
  const taken = places.filter((place) => binOf(place) > last);
  const tied = places.filter((place) => binOf(place) === last);
  tied.sort((a, b) => sizeOf(a) - sizeOf(b));
  const lastSize = sizeOf(tied[count - taken.length - 1] ?? 0);
  const equal = tied.filter((place) => sizeOf(place) <= lastSize);
  return [...taken, ...equal].slice(0, Math.max(count, most));
}
