import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { startRelay } from "@disburse/chassis/bus/outbox-relay.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import type { Asked } from "../screening/request.ts";
import type { Subject } from "../screening/rules/screening.ts";
import type { SubjectDocument } from "./document.ts";
import { compareAgain, type MonitorDeps, monitorRound } from "./round.ts";
import { rescreen, screenSubject, settle, stampOf } from "./subject-screening.ts";

/** How late a change is noticed that nobody woke the monitor for. */
const pollMs = 1_000;
/** What could not be screened is tried again so much later. */
const failedWaitMs = 30_000;
/** A process that died holds up monitoring no longer. */
const leaseMs = 10_000;
/** What takes longer to settle was left by a crash. */
const settleAfterMs = 5_000;
const gaugesMs = 30_000;
/** Looks for who was not compared whole for long. */
const againMs = 60_000;
const dayMs = 86_400_000;

export type MonitoringOptions = {
  readonly database: Database;
  readonly bus: Bus;
  readonly metrics: Metrics;
  /**
   * A subject is compared whole at least so often: as lists grow words become rarer or commoner,
   * which moves scores a little without any entry of its own having changed.
   */
  readonly wholeEveryDays: number;
};

/** What monitoring needs beside what it makes itself. */
export type MonitoringDeps = Omit<MonitorDeps, "owes" | "compared" | "screened" | "held">;

/** Starts the relay of the events, the monitor and its sweeps. */
export function startMonitoring(options: MonitoringOptions, given: MonitoringDeps) {
  const { database, bus, metrics } = options;
  const { subjects, watch, log } = given;
  const relay = startRelay({ outbox: subjects.outbox, bus, log });
  const compared = metrics.counter(
    "disburse_subjects_compared_total",
    "Whole comparisons of monitored subjects, by what made them and whether they found anything new",
    ["trigger", "outcome"],
  );
  const screenings = metrics.counter("disburse_screenings_total", "Screenings made", [
    "kind",
    "verdict",
  ]);
  const lease = createSweepLease(database, "monitoring", leaseMs);
  let stopping = false;
  // A round over many ends early when the process does: whoever comes next goes on with it.
  const held = async () => !stopping && (await lease.hold()) !== undefined;
  const deps: MonitorDeps = {
    ...given,
    owes: relay.wake,
    compared: (trigger, outcome) => compared.inc({ trigger, outcome }),
    screened: ({ kind, verdict }) => screenings.inc({ kind, verdict }),
    held,
  };
  const work = monitorWork(deps, lease.release);
  const monitor = startLoop({ name: "monitor", everyMs: pollMs, run: work.run, log });
  const unlisten = watch.onSwitch(() => {
    work.hurry();
    monitor.wake();
  });
  const loops: Loop[] = [
    relay,
    monitor,
    startLoop({ name: "monitor-again", everyMs: againMs, run: againRun(deps, options), log }),
    startLoop({
      name: "monitor-gauges",
      everyMs: gaugesMs,
      run: monitorGauges(deps, metrics),
      log,
    }),
  ];
  return {
    ...deps,
    screenSubject: (asked: Asked, by: Change) => screenSubject(deps, asked, by),
    rescreen: (subject: Subject, trigger: "decision") => rescreen(deps, subject, trigger),
    stop: async () => {
      stopping = true;
      unlisten();
      await Promise.all(loops.map((loop) => loop.stop()));
      await lease.release();
    },
  };
}

/** Looks whether lists or configuration changed, and whether a crash left anything to settle. */
function monitorWork(deps: MonitorDeps, giveWay: () => Promise<void>) {
  let notBefore = 0;
  let wasAhead = false;
  const run = async (): Promise<boolean> => {
    if (performance.now() < notBefore || !(await deps.held())) return false;
    await settleLeft(deps);
    const { screened, spared, failed, ahead } = await monitorRound(deps);
    if (screened + spared + failed > 0) {
      deps.log.info({ screened, spared, failed }, "subjects compared with what changed");
    }
    if (failed > 0) notBefore = performance.now() + failedWaitMs;
    if (ahead > 0 && !wasAhead) {
      deps.log.warn({ ahead }, "subjects left alone: older numbers than theirs here");
    }
    wasAhead = ahead > 0;
    // A process that has the newer ones, where there is one, compares those with the lists too.
    if (wasAhead) await giveWay();
    return false;
  };
  /** Something changed: whatever waits to be tried again is tried at once. */
  const hurry = (): void => {
    notBefore = 0;
  };
  return { run, hurry };
}

async function settleLeft(deps: MonitorDeps): Promise<void> {
  const moment = new Date(deps.clock.now().getTime() - settleAfterMs);
  for (const left of await deps.subjects.unsettled(moment)) {
    await settle(deps, left).catch((error: unknown) => {
      const fields = { err: error, screening_id: left.screening_id };
      deps.log.error(fields, "alerts not raised yet");
    });
  }
}

function againRun(deps: MonitorDeps, { wholeEveryDays }: MonitoringOptions) {
  return async (): Promise<boolean> => {
    if (deps.watch.current() === undefined || !(await deps.held())) return false;
    const since = new Date(deps.clock.now().getTime() - wholeEveryDays * dayMs);
    await compareAgain(deps, since);
    return false;
  };
}

type GaugeDeps = Pick<MonitorDeps, "subjects" | "watch" | "hashes" | "clock">;

/** One run brings the gauges of monitoring up to date. */
export function monitorGauges(deps: GaugeDeps, metrics: Metrics): () => Promise<boolean> {
  const { subjects, clock } = deps;
  const count = metrics.gauge("disburse_subjects", "Monitored subjects", ["verdict"]);
  const owed = metrics.gauge("disburse_screening_events_owed", "Subjects that owe an event", []);
  const lag = metrics.gauge(
    "disburse_monitoring_lag_seconds",
    "How long something has been in force that not every subject was compared with",
    [],
  );
  let noticedAt: Date | undefined;
  return async () => {
    for (const [verdict, number] of await subjects.countByVerdict()) {
      count.set({ verdict }, number);
    }
    owed.set(await subjects.countOwed());
    const behind = await subjectsBehind(deps);
    noticedAt = behind.length === 0 ? undefined : (noticedAt ?? clock.now());
    const since = behind.map((each) => behindSince(deps, each)).filter((at) => at !== undefined);
    const oldest = [...since, ...(noticedAt === undefined ? [] : [noticedAt])].sort(
      (a, b) => a.getTime() - b.getTime(),
    )[0];
    lag.set(oldest === undefined ? 0 : (clock.now().getTime() - oldest.getTime()) / 1_000);
    return false;
  };
}

/** One subject of each state that is not the present one. */
async function subjectsBehind({ watch, subjects, hashes }: GaugeDeps): Promise<SubjectDocument[]> {
  const index = watch.current();
  if (index === undefined) return [];
  const stamps = await subjects.otherStamps(stampOf(index, hashes));
  const samples = await Promise.all(stamps.map((stamp) => subjects.sample(stamp)));
  return samples.filter((sample) => sample !== undefined);
}

/** When the first import came into force that a subject was not compared with. */
function behindSince({ watch }: GaugeDeps, { lists }: SubjectDocument): Date | undefined {
  const known = new Set(lists.map((each) => each.import_id));
  const fresh = watch.current()?.lists.filter(({ importId }) => !known.has(importId)) ?? [];
  return fresh.map((each) => each.importedAt).sort((a, b) => a.getTime() - b.getTime())[0];
}
