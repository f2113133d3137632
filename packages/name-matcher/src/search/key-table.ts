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
