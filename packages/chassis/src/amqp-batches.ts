import { batchMax, batchWaitMs, storeRetryMs } from "./bus.ts";
import type { Log } from "./log.ts";

export type Batches<T> = {
  add(item: T): void;
  /** Drops what has not begun (the broker keeps it) and waits for what has. */
  stop(): Promise<void>;
};

/**
 * Gathers items into batches and handles one batch after the other, or as many side by side as it
 * is told. A batch that fails is tried again after a pause, for as long as it takes: the prefetch
 * holds the rest back, and nothing is nacked.
 */
export function startBatches<T>(options: {
  readonly handle: (batch: readonly T[]) => Promise<void>;
  readonly log: Log;
  /** Batches that are handled at once. */
  readonly parallel?: number;
}): Batches<T> {
  const { handle, log, parallel = 1 } = options;
  let waiting: T[] = [];
  let stopping = false;
  let draining = 0;
  const drains = new Set<Promise<void>>();
  const interrupts = new Set<() => void>();

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        interrupts.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      interrupts.add(end);
    });

  const handleUntilStored = async (batch: readonly T[]) => {
    while (!stopping) {
      try {
        return await handle(batch);
      } catch (error) {
        log.error({ err: error, count: batch.length }, "batch not stored, trying again");
        await pause(storeRetryMs);
      }
    }
  };

  const drain = async () => {
    draining += 1;
    while (waiting.length > 0 && !stopping) {
      if (waiting.length < batchMax) await pause(batchWaitMs);
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      if (batch.length > 0) await handleUntilStored(batch);
    }
    // At once: what is added from now on needs a drain of its own.
    draining -= 1;
  };

  return {
    add: (item) => {
      if (stopping) return;
      waiting.push(item);
      if (draining === parallel) return;
      const running = drain().finally(() => drains.delete(running));
      drains.add(running);
    },
    stop: async () => {
      stopping = true;
      for (const interrupt of interrupts) interrupt();
      await Promise.all(drains);
    },
  };
}
