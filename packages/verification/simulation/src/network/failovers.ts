import type { Scheduler } from "../scheduler/scheduler.ts";
import type { MemoryDatabase } from "../store/memory-database.ts";

/** The maximum duration of a planned step-down. */
const stepDownMaxMs = 400;
/** The maximum time for which a primary is without its peers before it is lost. */
const dyingMaxMs = 500;
/** Maximum times of an election, which takes about 10 s by default. */
const electionMaxMs = [1_000, 4_000, 12_000];
/** A former primary steps down when it has reached no majority for 10 s. */
const isolationMaxMs = 10_000;

/** Makes a database lose its primary at random. `factor` raises the frequency. */
export function disturbDatabase(scheduler: Scheduler, { set }: MemoryDatabase, factor = 1): void {
  const { faults, random } = scheduler;
  if (!set.isWhole()) return;
  const lost = () => {
    if (faults.happens("database: stepped down", 0.015 * factor)) {
      const electionMs = random.below(stepDownMaxMs);
      return set.failOver({ isPlanned: true, electionMs, isolatedMs: 0, stays: () => false });
    }
    if (faults.happens("database: primary lost", 0.01 * factor)) {
      const isolatedMs = random.below(dyingMaxMs);
      const electionMs = isolatedMs + random.below(random.pick(electionMaxMs));
      return set.failOver({ isPlanned: false, electionMs, isolatedMs, stays: () => true });
    }
    if (faults.happens("database: two primaries", 0.015 * factor)) {
      const isolatedMs = 1 + random.below(isolationMaxMs);
      const electionMs = random.below(isolatedMs);
      const stays = () => random.chance(0.5);
      return set.failOver({ isPlanned: false, electionMs, isolatedMs, stays });
    }
    return 0;
  };
  if (lost() > 0) faults.count("database: rolled back");
}
