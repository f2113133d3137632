import { batchMax, storeRetryMs } from "../bus/bus.ts";
import type { Log } from "../log.ts";

/**
 * A batch gathers for as long as the one before took to be stored, within these: where storing is
 * slow, fewer and larger ones are what makes it quicker.
 */
const gatherMinMs = 5;
const gatherMaxMs = 12;

export type Batches<T> = {
  add(item: T): void;
  /** Drops what has not begun (the broker keeps it) and waits for what has. */
  stop(): Promise<void>;
};

/**
 * Gathers items into batches and handles one batch after the other, in the order in which they
 * came. A batch that fails is tried again after a pause, for as long as it takes: the prefetch
 * holds the rest back, and nothing is nacked.
 */
export function startBatches<T>(options: {
  readonly handle: (batch: readonly T[]) => Promise<void>;
  readonly log: Log;
}): Batches<T> {
  const { handle, log } = options;
  let waiting: T[] = [];
  let stopping = false;
  let draining: Promise<void> | undefined;
  let tookMs = 0;
  let interrupt = (): void => undefined;

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
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
    while (waiting.length > 0 && !stopping) {
      const gatherMs = Math.min(gatherMaxMs, Math.max(gatherMinMs, tookMs));
      if (waiting.length < batchMax) await pause(gatherMs);
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      const beganAt = performance.now();
      await handleUntilStored(batch);
      tookMs = performance.now() - beganAt;
    }
    // At once: what is added from now on needs a drain of its own.
    draining = undefined;
  };

  return {
    add: (item) => {
      if (stopping) return;
      waiting.push(item);
      draining ??= drain();
    },
    stop: async () => {
      stopping = true;
      interrupt();
      await draining;
    },
  };
}
