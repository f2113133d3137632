import { createRandom } from "@disburse/harness/random.ts";
import { Scheduler } from "../scheduler/scheduler.ts";

const startMs = Date.UTC(2026, 0, 5, 9);

/**
 * A scheduler without randomness except for ids: each hop takes the mean time, each choice is the
 * middle one, no timer is late. A count then changes only if the code does other work, not if it
 * draws another random number.
 */
export function steadyScheduler(): Scheduler {
  const ids = createRandom(1);
  const scheduler = new Scheduler(
    {
      ...ids,
      fraction: () => 0.5,
      chance: () => false,
      pick: <T>(from: readonly T[]): T => from[Math.floor(from.length / 2)] as T,
    },
    startMs,
  );
  scheduler.isPunctual = true;
  return scheduler;
}
