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
