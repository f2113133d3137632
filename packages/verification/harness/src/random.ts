import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** Random numbers that a seed determines: the same seed gives the same numbers in order. */
export interface Random {
  /** At least 0, below 1. */
  fraction(): number;
  /** A whole number from 0 to `limit` − 1. */
  below(limit: number): number;
  /** True with a probability between 0 and 1. */
  chance(probability: number): boolean;
  /** One item of a list that is not empty. */
  pick<T>(from: readonly T[]): T;
  /** The same items in another order. */
  shuffled<T>(from: readonly T[]): T[];
}

const wholes = 2 ** 32;

/** A generator of its own for a seed. */
export function createRandom(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  const fraction = (): number => (generator.next() >>> 0) / wholes;
  const below = (limit: number): number => uniformInt(generator, 0, limit - 1);
  return {
    fraction,
    below,
    chance: (probability) => fraction() < probability,
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new Error("there is nothing to pick from");
      return from[below(from.length)] as T;
    },
    shuffled: <T>(from: readonly T[]): T[] => {
      const left = [...from];
      return Array.from({ length: from.length }, () => left.splice(below(left.length), 1)[0] as T);
    },
  };
}
