/**
 * The queue of one merchant. `waiting` counts waiting and running calls. `last` resolves when the
 * last call and its rest have ended.
 */
type Line = { waiting: number; last: Promise<void> };

/**
 * Shares this process's thread among merchants. A merchant's work runs one call at a time and then
 * rests for `restRatio` times as long. With 3, a merchant uses at most a quarter of the time. Other
 * merchants are not delayed.
 */
export function createTurns({ restRatio }: { readonly restRatio: number }) {
  const lines = new Map<string, Line>();
  return {
    /** Runs work when it is the merchant's turn, unless the caller has disconnected by then. */
    take: async <T>(
      merchantId: string,
      work: () => T | Promise<T>,
      signal?: AbortSignal,
    ): Promise<T> => {
      const line = lines.get(merchantId) ?? { waiting: 0, last: Promise.resolve() };
      lines.set(merchantId, line);
      line.waiting += 1;
      const before = line.last;
      const rested = Promise.withResolvers<void>();
      line.last = rested.promise;
      await before;
      const beganMs = performance.now();
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        const end = () => {
          line.waiting -= 1;
          if (line.waiting === 0) lines.delete(merchantId);
          rested.resolve();
        };
        setTimeout(end, restRatio * (performance.now() - beganMs)).unref();
      }
    },
  };
}

export type Turns = ReturnType<typeof createTurns>;
