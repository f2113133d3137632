import { setTimeout as pause } from "node:timers/promises";

/** Writes what comes, much of it in one go. */
export type Gatherer<T> = {
  add(item: T): void;
  /** Resolves when all that came is written. */
  idle(): Promise<void>;
};

/**
 * Writes begin no sooner after each other than this, unless enough has come for a whole one: a
 * webhook every few milliseconds would else cost a command each time, and nobody waits for these.
 */
const gatherMs = 40;

/** Gathers what comes while a write is under way, or has just been, into the next one. */
export function createGatherer<T>(
  groupMax: number,
  /** Never rejects: what could not be written is its own affair. */
  write: (group: readonly T[]) => Promise<void>,
): Gatherer<T> {
  let waiting: T[] = [];
  let beganAt = Number.NEGATIVE_INFINITY;
  let draining: Promise<void> | undefined;

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const leftMs = beganAt + gatherMs - performance.now();
      if (leftMs > 0 && waiting.length < groupMax) await pause(leftMs);
      beganAt = performance.now();
      const group = waiting.slice(0, groupMax);
      waiting = waiting.slice(groupMax);
      await write(group);
    }
    draining = undefined;
  };
  return {
    add: (item) => {
      waiting.push(item);
      draining ??= drain();
    },
    idle: async () => {
      while (draining !== undefined) await draining;
    },
  };
}
