import type { FaultCounts } from "./faults.ts";
import { createPlatform, type Platform } from "./platform.ts";
import type { Breakage } from "./processes.ts";
import { unrestOf } from "./quiet.ts";
import { verdictOf } from "./verdict.ts";
import { Workload } from "./workload.ts";
import { World } from "./world.ts";

/** What one seed came to. */
export type SeedResult = {
  readonly seed: number;
  /** What was wrong, in words; nothing when all held. */
  readonly wrong: readonly string[];
  readonly faults: FaultCounts;
  readonly steps: number;
  /** Of all that happened, in order. */
  readonly traceHash: string;
};

/** What a run may be given beside its seed. */
export type SeedOptions = Breakage & {
  /** Hears of everything that happens, as it happens. */
  readonly listen?: (line: string) => void;
};

/** Every run begins at this moment. */
const startMs = Date.UTC(2026, 0, 5, 9);
/** Something happens to some process about this often. */
const disturbanceMs = 1_500;
/** Callers are done by then, or never will be: faults end after this. */
const roughMs = 30_000;
/** A look at whether everything rests. */
const lookMs = 500;
/** What is still to be done has to be done within this time once faults have healed. */
const settleMs = 180_000;
/** How often the clock is put forward to the next thing that is due. */
const leapsMax = 60;
/** A run that goes on longer goes on for ever. */
const stepsMax = 400_000;

/** Runs one seed from its beginning to rest, and says what was wrong. */
export async function runSeed(seed: number, options: SeedOptions = {}): Promise<SeedResult> {
  const world = new World(seed, startMs, options.listen);
  const platform = createPlatform(world, options);
  const workload = new Workload(world, platform);
  const wrong = await events(world, platform, workload).catch((error: unknown) => [
    `the run failed: ${error instanceof Error ? error.stack : String(error)}`,
  ]);
  const verdict = verdictOf(platform, workload.record, world.now());
  return {
    seed,
    wrong: [...wrong, ...verdict],
    faults: world.faults.counts,
    steps: world.steps,
    traceHash: world.traceHash,
  };
}

/** All that happens in a run; what never came to its end, in words. */
async function events(world: World, platform: Platform, workload: Workload): Promise<string[]> {
  for (const machine of platform.machines) machine.start();
  const accounts = await ended(world, workload.setUp(), settleMs);
  if (accounts === undefined) return ["the set-up did not end"];
  world.faults.begin();
  platform.operators.start();
  disturbances(world, platform);
  const calls = { isDone: false };
  const work = workload.run(accounts).finally(() => {
    calls.isDone = true;
  });
  await world.run(() => calls.isDone, world.nowMs() + roughMs, stepsMax);
  heal(world, platform);
  const isDone = await ended(
    world,
    work.then(() => true),
    settleMs,
  );
  if (isDone === undefined) return ["callers have no answer long after everything healed"];
  return untilRest(world, platform);
}

/** Runs the world until something outside of it has come to its end. */
async function ended<T>(world: World, work: Promise<T>, ms: number): Promise<T | undefined> {
  const outcome: { value?: T; error?: unknown; isDone?: true } = {};
  work.then(
    (value) => Object.assign(outcome, { value, isDone: true }),
    (error: unknown) => Object.assign(outcome, { error, isDone: true }),
  );
  await world.run(() => outcome.isDone === true, world.nowMs() + ms, stepsMax);
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}

/** Crashes, stalls, outages and clocks that are set, now and then. */
function disturbances(world: World, { machines, broker, rail }: Platform): void {
  const disturb = () => {
    for (const machine of machines) machine.disturb();
    broker.disturb();
    rail.disturb();
    next();
  };
  const next = () =>
    world.after(world.random.below(2 * disturbanceMs), { label: "disturbance", run: disturb });
  next();
}

function heal(world: World, { machines, broker, rail }: Platform): void {
  world.note("healed");
  world.faults.heal();
  for (const machine of machines) machine.heal();
  broker.heal();
  rail.heal();
}

/**
 * Runs until nothing is left to be done, at last with the clock put forward to what is due later: a
 * return after days, a webhook's next attempt.
 */
async function untilRest(world: World, platform: Platform): Promise<string[]> {
  for (let leaps = 0; leaps < leapsMax; leaps += 1) {
    const busy = await untilNothingIsDue(world, platform);
    if (busy.length > 0) return busy.map((each) => `long after everything healed: ${each}`);
    const { laterMs } = unrestOf(platform, world.nowMs());
    if (laterMs === undefined) return [];
    world.leap(laterMs);
  }
  return [`after ${leapsMax} leaps of the clock there is still something to do`];
}

async function untilNothingIsDue(world: World, platform: Platform): Promise<readonly string[]> {
  const giveUpMs = world.nowMs() + settleMs;
  for (let restful = 0; ; ) {
    await world.run(() => false, world.nowMs() + lookMs, stepsMax);
    const { now } = unrestOf(platform, world.nowMs());
    restful = now.length === 0 ? restful + 1 : 0;
    if (restful === looksInARow) return [];
    if (world.nowMs() >= giveUpMs || world.steps >= stepsMax) return now;
  }
}

/** Between two looks something may be on its way, and in no document. */
const looksInARow = 3;
