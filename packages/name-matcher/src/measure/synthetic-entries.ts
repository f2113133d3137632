import type { ListedName } from "../entry.ts";
import type { ListedEntry } from "./query-set.ts";

/**
 * More entries of the same vocabulary: each takes the shape of a real one, and each word of its
 * names from another name of the same type. Equal for equal entries and seed.
 */
export function syntheticEntries(
  entries: readonly ListedEntry[],
  count: number,
  seed: number,
): ListedEntry[] {
  const random = randomNumbers(seed);
  const words = new Map<string, string[]>();
  for (const { type, names } of entries) {
    const known = words.get(type) ?? [];
    words.set(type, known);
    for (const { name } of names) known.push(...name.split(/\s+/));
  }
  const renamed = (type: string, { name, kind }: ListedName): ListedName => {
    const known = words.get(type) ?? [];
    const other = name.split(/\s+/).map(() => known[Math.floor(random() * known.length)] ?? "");
    return { name: other.join(" "), kind };
  };
  return Array.from({ length: count }, (_, at) => {
    const shape = entries[Math.floor(random() * entries.length)];
    if (shape === undefined) throw new Error("no entry to take the shape of");
    const names = shape.names.map((listed) => renamed(shape.type, listed));
    return { ...shape, uid: `synthetic:${at}`, names, documents: [] };
  });
}

/** Mulberry32: numbers in [0, 1), the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
