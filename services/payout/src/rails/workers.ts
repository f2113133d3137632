import { type Loop, type ManualLoops, startLoop } from "@disburse/chassis/loop.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import type { RailWorkerDeps } from "./steps.ts";
import { workOnDuePayout } from "./worker.ts";

/** How late work is found that no worker was woken for; one of them looks for it. */
export const pollMs = 100;
/** It looks so seldom where there is no work for a while. */
const restMs = 1_000;
/** The others are woken, and look so seldom by themselves. */
const othersMs = 60_000;

/** What workers are started with beside what each works with. */
type RailWorkersOptions = {
  readonly count: number;
  /** The `work` of the leases: one worker goes on for each notification. */
  readonly work: Wake;
  readonly manual?: ManualLoops | undefined;
};

/** Starts workers that advance payouts side by side; one that finds work wakes the next. */
export function startRailWorkers(deps: RailWorkerDeps, options: RailWorkersOptions): Loop {
  const { leases, log } = deps;
  const { count, work: wake, manual } = options;
  const onTaken = (): void => {
    if (leases.mayHaveMore()) wake.notify();
  };
  const run = async () => (await workOnDuePayout(deps, onTaken)) && leases.mayHaveMore();
  const workers = Array.from({ length: count }, (_each, at) => {
    const pace = at === 0 ? { everyMs: pollMs, restMs } : { everyMs: othersMs };
    return startLoop({ name: "rail-worker", ...pace, wake, run, log, manual });
  });
  return {
    /** Ends the present work, and leaves what is held to others. */
    stop: async (): Promise<void> => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await leases.releaseHeld();
    },
  };
}
