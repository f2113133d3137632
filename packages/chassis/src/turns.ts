/** One merchant's work: how much waits or runs, and the end of the last turn with its rest. */
type Line = { waiting: number; last: Promise<void> };

/**
 * Shares this process's thread among merchants. A merchant has one turn at a time and then rests
 * for `restShare` times as long, so that 3 leaves it a quarter of the time. Others are not delayed.
 */
export function createTurns({ restShare }: { readonly restShare: number }) {
  const lines = new Map<string, Line>();
  return {
    /** Works when the merchant has its turn; not for a caller that has left by then. */
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
        setTimeout(end, restShare * (performance.now() - beganMs)).unref();
      }
    },
  };
}

/** The turns of one kind of work. */
export type Turns = ReturnType<typeof createTurns>;
