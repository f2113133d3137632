/** Chance that a seed decides: the same seed gives the same chances in the same order. */
export type Random = {
  /** At least 0, below 1. */
  fraction(): number;
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
  chance(probability: number): boolean;
  /** One of a list that is not empty. */
  pick<T>(from: readonly T[]): T;
};

const wholes = 2 ** 32;

/** A generator of its own for a seed (sfc32, by Chris Doty-Humphrey: public domain). */
export function createRandom(seed: number): Random {
  let [a, b, c, counter] = [seed | 0, Math.floor(seed / wholes) | 0, 0x9e3779b9 | 0, 1];
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // Seeds that differ by little are mixed before the first number is used.
  for (let mixed = 0; mixed < 15; mixed += 1) next();
  const fraction = () => next() / wholes;
  const below = (limit: number) => Math.floor(fraction() * limit);
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick: (from) => {
      if (from.length === 0) throw new Error("nothing to pick from");
      return from[below(from.length)] as (typeof from)[number];
    },
  };
}
