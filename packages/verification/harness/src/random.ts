import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** A deterministic random generator: the same seed gives the same sequence. */
export type Random = ReturnType<typeof createRandom>;

const wholes = 2 ** 32;

export function createRandom(seed: number) {
  const generator = xoroshiro128plus(seed);
  const fraction = (): number => (generator.next() >>> 0) / wholes;
  const below = (limit: number): number => uniformInt(generator, 0, limit - 1);
  return {
    /** Returns a number of at least 0 and below 1. */
    fraction,
    /** Returns an integer from 0 to `limit` − 1. */
    below,
    /** Returns true with a probability between 0 and 1. */
    chance: (probability: number) => fraction() < probability,
    pick: <T>(from: readonly T[]): T => {
      if (from.length === 0) throw new Error("cannot pick from an empty list");
      return from[below(from.length)] as T;
    },
    shuffled: <T>(from: readonly T[]): T[] => {
      const left = [...from];
      return Array.from({ length: from.length }, () => left.splice(below(left.length), 1)[0] as T);
    },
  };
}
