/** Chance that one seed determines: the same seed gives the same run of numbers. */
export type Random = {
  /** A whole number from 0 to `below` − 1. */
  readonly below: (below: number) => number;
  readonly pick: <T>(of: readonly T[]) => T;
  /** The same items in another order. */
  readonly shuffled: <T>(of: readonly T[]) => T[];
};

/** Mulberry32: 32 bits of state, which is enough to choose faults and no more. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (limit: number): number => next() % limit;
  return {
    below,
    pick: <T>(of: readonly T[]): T => {
      if (of.length === 0) throw new Error("there is nothing to pick from");
      return of[below(of.length)] as T;
    },
    shuffled: <T>(of: readonly T[]): T[] => {
      const left = [...of];
      return Array.from({ length: of.length }, () => left.splice(below(left.length), 1)[0] as T);
    },
  };
}
