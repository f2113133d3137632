import {
  createGatherer,
  type Defer,
  type Gathered,
} from "@disburse/chassis/mongo/grouping/gatherer.ts";

/** Time between two writes. Without it, one command per webhook would be the largest cost. */
const batchEveryMs = 40;
/**
 * Maximum tries, one per second. A result can be written after an outage of the store while its
 * lease lasts.
 */
const triesMax = 20;
const retryMs = 1_000;
/** Maximum values in a command. A process has no more attempts in flight. */
const batchMax = 256;

/**
 * Waiting values need no limit. Each attempt waits for its own value, so no more values can wait
 * than attempts are in flight.
 */
const limits = {
  batchMax,
  batchBytesMax: Number.POSITIVE_INFINITY,
  inFlightMax: 1,
  waitingMax: Number.POSITIVE_INFINITY,
  waitingBytesMax: Number.POSITIVE_INFINITY,
};

type Item<T> = Gathered & { readonly value: T; readonly end: (isDone: boolean) => void };

/**
 * Writes values in batches, one at a time. Retries a failed batch each second, up to 20 times.
 *
 * @param write returns true if the whole batch took effect.
 * @param onFailure receives each failed try.
 */
export function createPacedBatches<T>(
  write: (batch: readonly T[]) => Promise<boolean>,
  onFailure: (error: unknown, count: number) => void,
) {
  const running = new Set<Promise<boolean>>();
  const writeWithRetries = async (values: readonly T[]): Promise<boolean> => {
    for (let tries = 1; tries <= triesMax; tries += 1) {
      if (tries > 1) await new Promise((resolve) => setTimeout(resolve, retryMs));
      try {
        return await write(values);
      } catch (error) {
        onFailure(error, values.length);
      }
    }
    return false;
  };
  const send = async (batch: readonly Item<T>[]): Promise<void> => {
    const isDone = await writeWithRetries(batch.map(({ value }) => value));
    for (const { end } of batch) end(isDone);
  };
  const gatherer = createGatherer<Item<T>>(send, limits, paced());
  return {
    /**
     * Adds a value. Resolves with the result of `write` for the value's batch. Resolves with
     * `false` if all tries have failed.
     */
    add: (value: T): Promise<boolean> => {
      const ended = new Promise<boolean>((end) => {
        gatherer.add({ key: undefined, bytes: 0, value, end });
      }).finally(() => running.delete(ended));
      running.add(ended);
      return ended;
    },
    /** Resolves when all added values are written or all their tries have failed. */
    idle: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/**
 * Runs the first write at once. Each later write starts one interval after the previous one at the
 * earliest.
 */
function paced(): Defer {
  let ranAt = Number.NEGATIVE_INFINITY;
  return (run) => {
    const now = performance.now();
    const runAt = Math.max(now, ranAt + batchEveryMs);
    ranAt = runAt;
    setTimeout(run, runAt - now);
  };
}
