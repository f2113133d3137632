import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import { isDatabaseUnavailable } from "@disburse/chassis/mongo/database.ts";
import { withTimeout } from "@disburse/chassis/timeout.ts";
import { createWake } from "@disburse/chassis/wake.ts";

/** The end of one run of a request with an idempotency key. */
export type KeyEnd = {
  readonly id: string;
  /** Differs in each run. Only the run's own lock is changed. */
  readonly fence: string;
  /** Absent if the key becomes free. */
  readonly progress: { state: "open" } | { state: "done"; sealed_answer: string } | undefined;
};

/**
 * Limits of the ends in memory. A gateway collects about as many if each of 300 requests a second
 * fails for 30 s. After that time the oldest locks have ended, so the oldest ends are dropped first.
 */
const unsettledLimits = { endsMax: 10_000, bytesMax: 16 * 1024 * 1024 };
/** The pause before the next try. An unavailable database delays the try itself by seconds. */
const settleEveryMs = 500;
/** The number of concurrent writes. Group commit sends as many in one command. */
const batchMax = 256;
/** Time for the last try at shutdown. An available database needs milliseconds. */
const stopMs = 3_000;

/** Ends of runs that the database has not confirmed. */
export type UnsettledKeys = ReturnType<typeof createUnsettledKeys>;

/**
 * Keeps the ends of runs that could not be written, and writes them as soon as the database is
 * available again. If the process crashes before that, the locks expire. `settle` must be
 * idempotent.
 */
export function createUnsettledKeys(deps: {
  readonly settle: (end: KeyEnd) => Promise<void>;
  readonly log: Log;
  readonly limits?: typeof unsettledLimits;
}) {
  const { log, limits = unsettledLimits } = deps;
  const wake = createWake();
  /** Keyed by fence, oldest first. */
  const ends = new Map<string, KeyEnd>();
  let bytes = 0;
  let dropped = 0;
  const remove = (end: KeyEnd) => {
    if (ends.delete(end.fence)) bytes -= sizeOf(end);
  };
  const settleOne = async (end: KeyEnd) => {
    try {
      await deps.settle(end);
    } catch (error) {
      // No retry can help after any other error. The lock then expires.
      if (!isDatabaseUnavailable(error)) remove(end);
      throw error;
    }
    remove(end);
  };
  const run = async (): Promise<boolean> => {
    const batch = [...ends.values().take(batchMax)];
    const failed = (await Promise.allSettled(batch.map(settleOne))).find(isRejected);
    if (failed !== undefined) throw failed.reason;
    if (dropped > 0)
      log.warn(
        { count: dropped },
        "outcomes of idempotency keys were dropped, because too many waited to be stored",
      );
    dropped = 0;
    return ends.size > 0;
  };
  const stop = async (loop: Loop) => {
    await loop.stop();
    while (await run());
  };
  return {
    add: (end: KeyEnd): void => {
      ends.set(end.fence, end);
      bytes += sizeOf(end);
      for (const oldest of ends.values()) {
        if (ends.size <= limits.endsMax && bytes <= limits.bytesMax) break;
        remove(oldest);
        dropped += 1;
      }
      wake.notify();
    },
    /** Starts the loop. Its `stop` tries to settle the remaining ends once more. */
    start: (): Loop => {
      const name = "unsettled idempotency keys";
      const loop = startLoop({ name, everyMs: settleEveryMs, wake, run, log });
      return { stop: () => withTimeout(stopMs, () => stop(loop)) };
    },
  };
}

function isRejected(result: PromiseSettledResult<void>): result is PromiseRejectedResult {
  return result.status === "rejected";
}

/** Counts the response. The other parts are short. */
function sizeOf({ progress }: KeyEnd): number {
  return progress?.state === "done" ? progress.sealed_answer.length : 0;
}
