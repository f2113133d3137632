import { createRandom } from "@disburse/harness/random.ts";
import { Scheduler } from "../scheduler/scheduler.ts";

const startMs = Date.UTC(2026, 0, 5, 9);

/**
 * Creates a scheduler without randomness, except for ids. Each call takes the mean time, each
 * choice is the middle one, and no timer is late. A count therefore changes only if the code does
 * different work.
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
