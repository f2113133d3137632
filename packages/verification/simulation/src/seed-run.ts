import { finalProblems } from "./checks/final-checks.ts";
import { pendingWorkOf } from "./checks/pending-work.ts";
import { disturbDatabase } from "./network/failovers.ts";
import { createPlatform, migratePlatform, type Platform } from "./platform.ts";
import type { InjectedDefects } from "./processes.ts";
import { Scheduler } from "./scheduler/scheduler.ts";
import { Workload } from "./workload/workload.ts";

export type SeedOptions = InjectedDefects & {
  /** Called for each event when it occurs. */
  readonly listen?: (line: string) => void;
  /** Makes failovers of the databases more frequent by this factor. */
  readonly failoverFactor?: number;
};

const startMs = Date.UTC(2026, 0, 5, 9);
const disturbanceMs = 1_500;
/** Faults end after this time. By then, callers have finished or never will. */
const roughMs = 30_000;
const pollMs = 500;
/** Time for finishing work after faults have ended. */
const settleMs = 180_000;
/** Maximum number of times that the clock is advanced to the next due work. */
const advancesMax = 60;
/** Maximum number of steps. A run with more steps would never end. */
const stepsMax = 400_000;

/** Runs one seed until the platform is idle. Returns the problems found. */
export async function runSeed(seed: number, options: SeedOptions = {}) {
  const scheduler = new Scheduler(seed, startMs, options.listen);
  const platform = createPlatform(scheduler, options);
  const workload = new Workload(scheduler, platform);
  const wrong = await events(scheduler, platform, workload, options).catch((error: unknown) => [
    `the run failed: ${error instanceof Error ? error.stack : String(error)}`,
  ]);
  const verdict = finalProblems(platform, workload, scheduler);
  return {
    seed,
    /** The problems found. Empty if all checks passed. */
    wrong: [...wrong, ...verdict],
    faults: scheduler.faults.counts,
    steps: scheduler.steps,
    traceHash: scheduler.traceHash,
  };
}

async function events(
  scheduler: Scheduler,
  platform: Platform,
  workload: Workload,
  { failoverFactor }: SeedOptions,
): Promise<string[]> {
  await migratePlatform(platform);
  for (const host of platform.hosts) host.start();
  const accounts = await ended(scheduler, workload.setUp(), settleMs);
  if (accounts === undefined) return ["the set-up did not end"];
  await ended(scheduler, platform.treasury.setUp(), settleMs);
  scheduler.faults.begin();
  platform.operators.start();
  platform.treasury.start();
  for (const merchantId of workload.controls.keys()) platform.approvers.start(merchantId);
  disturbances(scheduler, platform, failoverFactor);
  const calls = { isDone: false };
  const work = workload.run(accounts).finally(() => {
    calls.isDone = true;
  });
  await scheduler.run(() => calls.isDone, scheduler.nowMs() + roughMs, stepsMax);
  heal(scheduler, platform);
  const answered = work.then(() => true);
  const isDone = await ended(scheduler, answered, settleMs);
  if (isDone === undefined) return ["callers have no answer long after everything healed"];
  return untilRest(scheduler, platform);
}

/** Runs the scheduler until an external promise settles. */
async function ended<T>(
  scheduler: Scheduler,
  work: Promise<T>,
  ms: number,
): Promise<T | undefined> {
  const outcome: { value?: T; error?: unknown; isDone?: true } = {};
  work.then(
    (value) => Object.assign(outcome, { value, isDone: true }),
    (error: unknown) => Object.assign(outcome, { error, isDone: true }),
  );
  await scheduler.run(() => outcome.isDone === true, scheduler.nowMs() + ms, stepsMax);
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}

/** Injects occasional crashes, suspensions, outages and clock changes. */
function disturbances(scheduler: Scheduler, platform: Platform, failoverFactor?: number): void {
  const { hosts, broker, rail, databases } = platform;
  const disturb = () => {
    for (const host of hosts) host.disturb();
    for (const database of Object.values(databases)) {
      disturbDatabase(scheduler, database, failoverFactor);
    }
    broker.outages.disturb();
    rail.outages.disturb();
    next();
  };
  const next = () => {
    const delayMs = scheduler.random.below(2 * disturbanceMs);
    scheduler.after(delayMs, { label: "disturbance", run: disturb });
  };
  next();
}

function heal(scheduler: Scheduler, { hosts, broker, rail, databases }: Platform): void {
  scheduler.note("healed");
  scheduler.faults.heal();
  for (const host of hosts) host.heal();
  for (const { set } of Object.values(databases)) set.heal();
  broker.outages.heal();
  rail.outages.heal();
}

/**
 * Runs until no work is left. Then advances the clock to later work, such as a return after days or
 * the next attempt of a webhook.
 */
async function untilRest(scheduler: Scheduler, platform: Platform): Promise<string[]> {
  for (let advances = 0; advances < advancesMax; advances += 1) {
    const busy = await untilNothingIsDue(scheduler, platform);
    if (busy.length > 0) return busy.map((each) => `long after everything healed: ${each}`);
    const { laterMs } = pendingWorkOf(platform, scheduler.nowMs());
    if (laterMs === undefined) return [];
    scheduler.advance(laterMs);
  }
  return [`after ${advancesMax} advances of the clock there is still something to do`];
}

async function untilNothingIsDue(
  scheduler: Scheduler,
  platform: Platform,
): Promise<readonly string[]> {
  const giveUpMs = scheduler.nowMs() + settleMs;
  for (let restful = 0; ; ) {
    await scheduler.run(() => false, scheduler.nowMs() + pollMs, stepsMax);
    const { now } = pendingWorkOf(platform, scheduler.nowMs());
    restful = now.length === 0 ? restful + 1 : 0;
    if (restful === readsInARow) return [];
    if (scheduler.nowMs() >= giveUpMs || scheduler.steps >= stepsMax) return now;
  }
}

/**
 * Number of consecutive polls. At the time of one poll, work may be in transit and in no document.
 */
const readsInARow = 3;
