/** A read-only multimap from 32-bit keys to numbers, in flat arrays of 12 bytes per item. */
export type KeyTable = { forEach(key: number, visit: (value: number) => void): void };

const sizeMin = 1024;

/** An empty list of 32-bit integers, 4 bytes each. */
export function numberList() {
  let values = new Int32Array(sizeMin);
  let length = 0;
  return {
    push(value: number): void {
      if (length === values.length) {
        const longer = new Int32Array(length * 2);
        longer.set(values);
        values = longer;
      }
      values[length] = value;
      length += 1;
    },
    at: (position: number): number => values[position] ?? 0,
    values: (): Int32Array => values.subarray(0, length),
  };
}

export function keyedNumbers() {
  const [keys, values] = [numberList(), numberList()];
  return {
    add(key: number, value: number): void {
      keys.push(key);
      values.push(value);
    },
    /** Builds a hash table. Keys may have any value. */
    table: (): KeyTable => keyTable(keys.values(), values.values()),
    /** Builds an array of rows, one for each key below `keyCount`. */
    rows: (keyCount: number): Rows => groupRows(keys.values(), values.values(), keyCount),
  };
}

function keyTable(keys: Int32Array, values: Int32Array): KeyTable {
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

/**
 * Numbers grouped by key in one flat array, 4 bytes each, in insertion order within a row. `row`
 * allocates a view. The other methods read in place, because a search calls them for each
 * candidate.
 */
export type Rows = {
  row(key: number): Int32Array;
  lengthOf(key: number): number;
  /** Returns the number at a position of the key's row. */
  at(key: number, position: number): number;
  has(key: number, value: number): boolean;
};

function groupRows(keys: Int32Array, values: Int32Array, keyCount: number): Rows {
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
  return {
    row: (key) => flat.subarray(starts[key], starts[key + 1]),
    lengthOf: (key) => (starts[key + 1] ?? 0) - (starts[key] ?? 0),
    at: (key, position) => flat[(starts[key] ?? 0) + position] ?? 0,
    has(key, value) {
      const end = starts[key + 1] ?? 0;
      for (let at = starts[key] ?? 0; at < end; at += 1) if (flat[at] === value) return true;
      return false;
    },
  };
}

/** The number of bins. Scores within one bin hardly differ. */
const binCount = 256;

/**
 * Returns the `count` positions with the highest scores, in no particular order. In the last bin of
 * scores, positions with a smaller size come first. If several have the same size at the limit,
 * returns all of these, but at most `most` positions in total. Reads the positions twice and sorts
 * only one bin.
 */
export function topPositions(
  positions: readonly number[],
  scores: Float32Array,
  { count, most }: { readonly count: number; readonly most: number },
  sizeOf: (position: number) => number,
): number[] {
  if (positions.length <= count) return [...positions];
  const top = positions.reduce((sofar, position) => Math.max(sofar, scores[position] ?? 0), 0);
  const binOf = (position: number): number =>
    Math.min(binCount - 1, Math.floor(((scores[position] ?? 0) / top) * binCount));
  const bins = new Uint32Array(binCount);
  for (const position of positions) bins[binOf(position)] = (bins[binOf(position)] ?? 0) + 1;
  let last = binCount;
  let above = 0;
  while (above < count) {
    last -= 1;
    above += bins[last] ?? 0;
  }
  const taken = positions.filter((position) => binOf(position) > last);
  const tied = positions.filter((position) => binOf(position) === last);
  tied.sort((a, b) => sizeOf(a) - sizeOf(b));
  const lastSize = sizeOf(tied[count - taken.length - 1] ?? 0);
  const equal = tied.filter((position) => sizeOf(position) <= lastSize);
  return [...taken, ...equal].slice(0, Math.max(count, most));
}
