/** Fine enough that what shares the last bin hardly differs. */
const binCount = 256;

/**
 * The `count` of these places with the most credit on the board, in no order; those that share the
 * last bin of credit are taken as they come. Walks the places twice and sorts nothing.
 */
export function highest(places: readonly number[], board: Float32Array, count: number): number[] {
  if (places.length <= count) return [...places];
  let most = 0;
  for (const place of places) most = Math.max(most, board[place] ?? 0);
  const binOf = (place: number): number =>
    Math.min(binCount - 1, Math.floor(((board[place] ?? 0) / most) * binCount));
  const bins = new Uint32Array(binCount);
  for (const place of places) bins[binOf(place)] = (bins[binOf(place)] ?? 0) + 1;
  let last = binCount;
  let above = 0;
  while (above < count) {
    last -= 1;
    above += bins[last] ?? 0;
  }
  let room = count - (above - (bins[last] ?? 0));
  return places.filter((place) => {
    const bin = binOf(place);
    if (bin !== last) return bin > last;
    room -= 1;
    return room >= 0;
  });
}
