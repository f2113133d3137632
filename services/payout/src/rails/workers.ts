import { startLoop } from "@disburse/chassis/loop.ts";
import { timerMs } from "@disburse/chassis/timer.ts";
import type { RailWorkerDeps } from "./steps.ts";
import { workOnDuePayout } from "./worker.ts";

/** How late work is found that no worker was woken for; one of them looks for it. */
export const pollMs = 100;
/** It looks so seldom where there is no work for a while. */
const restMs = 1_000;
/** The others are woken, and look so seldom by themselves. */
const othersMs = 60_000;

/** Starts workers that advance payouts side by side; one that finds work wakes the next. */
export function startRailWorkers(deps: RailWorkerDeps, count: number) {
  const { leases, clock, log } = deps;
  const busy = new Set<number>();
  const timers = new Set<NodeJS.Timeout>();
  const wake = (): void => workers.find((_each, at) => !busy.has(at))?.wake();
  const wakeAfter = (ms: number): void => {
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        wake();
      },
      timerMs(ms + 1),
    );
    timers.add(timer);
  };
  const run = async (at: number): Promise<boolean> => {
    const onTaken = () => {
      busy.add(at);
      if (leases.mayHaveMore()) wake();
    };
    try {
      return (await workOnDuePayout(deps, onTaken)) && leases.mayHaveMore();
    } finally {
      busy.delete(at);
    }
  };
  const workers = Array.from({ length: count }, (_each, at) =>
    startLoop({
      name: "rail-worker",
      ...(at === 0 ? { everyMs: pollMs, restMs } : { everyMs: othersMs }),
      log,
      run: () => run(at),
    }),
  );
  return {
    /** Wakes a worker that looks at what is due. */
    wake: (): void => {
      leases.lookNow();
      wake();
    },
    /** Wakes a worker when a payout that this process holds is due. */
    wakeAt: (dueAt: Date): void => {
      const waitMs = dueAt.getTime() - clock.now().getTime();
      if (waitMs <= 0) wake();
      else wakeAfter(waitMs);
    },
    /** Ends the present work, and leaves what is held to others. */
    stop: async (): Promise<void> => {
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(workers.map((worker) => worker.stop()));
      await leases.releaseHeld();
    },
  };
}
