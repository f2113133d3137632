/** How often a secret may be guessed. */
export type AttemptLimits = {
  /** Wrong guesses that may follow each other at once. */
  readonly max: number;
  /** One more is allowed after each of these. */
  readonly refillMs: number;
};

/**
 * Limits guesses under some key: of a password by its person's name, of all. Each guess counts from
 * its begin, so that concurrent ones are counted too; a right one is given back.
 */
export function createAttempts({ max, refillMs }: AttemptLimits) {
  const used = new Map<string, { readonly count: number; readonly atMs: number }>();
  const countAt = (key: string, nowMs: number): number => {
    const { count = 0, atMs = nowMs } = used.get(key) ?? {};
    return Math.max(0, count - (nowMs - atMs) / refillMs);
  };
  return {
    /** Counts a guess, or answers in how many milliseconds one is allowed. */
    begin: (key: string, nowMs: number): number => {
      const count = countAt(key, nowMs);
      if (count + 1 > max) return Math.ceil((count + 1 - max) * refillMs);
      used.set(key, { count: count + 1, atMs: nowMs });
      return 0;
    },
    /** The guess was right. */
    giveBack: (key: string, nowMs: number): void => {
      used.set(key, { count: Math.max(0, countAt(key, nowMs) - 1), atMs: nowMs });
    },
  };
}
