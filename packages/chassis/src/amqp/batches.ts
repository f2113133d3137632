import { batchMax, storeRetryMs } from "../bus/bus.ts";
import type { Log } from "../log.ts";

/** A batch gathers as long as the last took to store: a slow store gets fewer, larger ones. */
const gatherMinMs = 5;
const gatherMaxMs = 12;

/** Handles batches one at a time, in order; one that fails is retried until it succeeds. */
export function startBatches<T>({
  handle,
  log,
}: {
  readonly handle: (batch: readonly T[]) => Promise<void>;
  readonly log: Log;
}) {
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
    // Items added from now on need a drain of their own.
    draining = undefined;
  };

  return {
    add: (item: T): void => {
      if (stopping) return;
      waiting.push(item);
      draining ??= drain();
    },
    /** Drops what has not begun (the broker keeps it) and waits for what has. */
    stop: async (): Promise<void> => {
      stopping = true;
      interrupt();
      await draining;
    },
  };
}
