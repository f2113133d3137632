/** A closed multimap of 32-bit keys to numbers: chains in flat arrays, 12 bytes an item. */
export type KeyTable = { forEach(key: number, visit: (value: number) => void): void };

/** Numbers that grow without the cost of an array of objects. */
export type NumberList = {
  push(value: number): void;
  at(place: number): number;
  values(): Int32Array;
};

const sizeMin = 1024;

/** An empty list. */
export function numberList(): NumberList {
  let values = new Int32Array(sizeMin);
  let length = 0;
  return {
    push(value) {
      if (length === values.length) {
        const longer = new Int32Array(length * 2);
        longer.set(values);
        values = longer;
      }
      values[length] = value;
      length += 1;
    },
    at: (place) => values[place] ?? 0,
    values: () => values.subarray(0, length),
  };
}

/** A table of `values[i]` under `keys[i]`. */
export function keyTable(keys: Int32Array, values: Int32Array): KeyTable {
  const buckets = 2 ** Math.ceil(Math.log2(keys.length + 1));
  const heads = new Int32Array(buckets).fill(-1);
  const next = new Int32Array(keys.length);
  const [keyAt, valueAt] = [keys.slice(), values.slice()];
  for (let at = 0; at < keys.length; at += 1) {
    const bucket = (keyAt[at] ?? 0) & (buckets - 1);
    next[at] = heads[bucket] ?? -1;
    heads[bucket] = at;
  }
  return {
    forEach(key, visit) {
      let at = heads[key & (buckets - 1)] ?? -1;
      while (at >= 0) {
        if (keyAt[at] === key) visit(valueAt[at] ?? 0);
        at = next[at] ?? -1;
      }
    },
  };
}

/** Numbers grouped by a key, in one flat array: 4 bytes a number, whatever the number of keys. */
export type Rows = { row(key: number): Int32Array };

/** Groups `values[i]` under `keys[i]`; keys are below `keyCount`. Order within a row is kept. */
export function groupRows(keys: Int32Array, values: Int32Array, keyCount: number): Rows {
  const starts = new Uint32Array(keyCount + 1);
  for (let at = 0; at < keys.length; at += 1) {
    const after = (keys[at] ?? 0) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let at = 0; at < keyCount; at += 1) {
    starts[at + 1] = (starts[at + 1] ?? 0) + (starts[at] ?? 0);
  }
  const filled = starts.slice();
  const flat = new Int32Array(values.length);
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] ?? 0;
    const to = filled[key] ?? 0;
    flat[to] = values[at] ?? 0;
    filled[key] = to + 1;
  }
  return { row: (key) => flat.subarray(starts[key], starts[key + 1]) };
}

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
