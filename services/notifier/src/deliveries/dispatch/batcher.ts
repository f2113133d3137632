import { setTimeout as pause } from "node:timers/promises";

/**
 * Writes begin no sooner after each other than this, unless a whole batch waits: a command for
 * each webhook would cost more than all else, and no caller is slowed by the wait.
 */
const batchEveryMs = 40;
/** A result outlives an outage of the store for as long as its lease may last. */
const triesMax = 20;
const retryMs = 1_000;

/**
 * Collects items and writes them in batches, one at a time. A batch that cannot be written is tried
 * again each second, and given up after 20 tries.
 */
export function createBatcher<T>(
  batchMax: number,
  write: (batch: readonly T[]) => Promise<void>,
  /** Each try that fails. */
  onFailure: (error: unknown, count: number) => void = () => undefined,
  /** A batch that is written, or given up. */
  onEnd: (batch: readonly T[]) => void = () => undefined,
) {
  let waiting: T[] = [];
  let beganAt = Number.NEGATIVE_INFINITY;
  let draining: Promise<void> | undefined;

  const writeWithRetries = async (batch: readonly T[]): Promise<void> => {
    for (let tries = 1; tries <= triesMax; tries += 1) {
      if (tries > 1) await pause(retryMs);
      try {
        return await write(batch);
      } catch (error) {
        onFailure(error, batch.length);
      }
    }
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const leftMs = beganAt + batchEveryMs - performance.now();
      if (leftMs > 0 && waiting.length < batchMax) await pause(leftMs);
      beganAt = performance.now();
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      await writeWithRetries(batch);
      onEnd(batch);
    }
    draining = undefined;
  };
  return {
    add: (item: T): void => {
      waiting.push(item);
      draining ??= drain();
    },
    /** Resolves when all that was added is written, or given up. */
    idle: async (): Promise<void> => {
      while (draining !== undefined) await draining;
    },
  };
}
