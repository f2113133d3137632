import { disturbDatabase } from "../network/failovers.ts";
import type { Host } from "../scheduler/host.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";
import type { RailCallers } from "./rail-callers.ts";

const disturbanceMs = 1_500;
const calmMs = 60_000;
const stepsMax = 300_000;

export type RailRun = {
  readonly scheduler: Scheduler;
  readonly hosts: readonly Host[];
  readonly callers: RailCallers;
  readonly roughMs: number;
  /** True if faults end when the last caller has its answer, if that is earlier. */
  readonly database: MemoryDatabase;
  readonly endsWithCallers: boolean;
  readonly heal: () => void;
  readonly isAtRest: () => boolean;
  /**
   * Maximum time for finishing work after all faults have ended. The clock then advances by at most
   * this time.
   */
  readonly settleMs: number;
  readonly advanceMs: number;
};

/** Runs a rail and its callers through faults until idle. Returns problems. */
export async function runToRest(of: RailRun): Promise<readonly string[]> {
  const { scheduler, hosts } = of;
  const wrong: string[] = [];
  let isDone = false;
  disturbances(of);
  of.callers.run().then(
    () => {
      isDone = true;
    },
    (error: unknown) => wrong.push(`the callers failed: ${String(error)}`),
  );
  const endsEarly = () => of.endsWithCallers && isDone;
  await scheduler.run(endsEarly, scheduler.nowMs() + of.roughMs, stepsMax);
  scheduler.faults.heal();
  of.heal();
  of.database.set.heal();
  for (const host of hosts) host.heal();
  const isAtRest = () => isDone && of.isAtRest();
  const endMs = scheduler.nowMs() + of.settleMs;
  let isOver = false;
  while (!isOver && scheduler.nowMs() < endMs && scheduler.steps < stepsMax) {
    isOver = await scheduler.run(isAtRest, scheduler.nowMs() + calmMs, stepsMax);
    if (!isOver) scheduler.advance(scheduler.nowMs() + of.advanceMs);
  }
  return isOver ? wrong : [...wrong, "long after everything healed the rail has work"];
}

function disturbances(of: RailRun): void {
  const { scheduler, hosts, database } = of;
  const disturb = () => {
    for (const host of hosts) host.disturb();
    disturbDatabase(scheduler, database);
    disturbances(of);
  };
  const delayMs = scheduler.random.below(2 * disturbanceMs);
  scheduler.after(delayMs, { label: "disturbance", run: disturb });
}
