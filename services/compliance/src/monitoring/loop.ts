import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { startRelay } from "@disburse/chassis/bus/outbox-relay.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { createWake, type Wake } from "@disburse/chassis/wake.ts";
import { type Verdict, verdicts } from "@disburse/name-matcher/verdict.ts";
import type { Eased, EasedSubject, ListForms } from "../lists/removals/removals.ts";
import type { ListEntry } from "../lists/rules/entry.ts";
import { formKey, keyOfForm } from "../lists/rules/retained.ts";
import type { ScreeningRequest } from "../screening/request.ts";
import type { ScreeningHit } from "../screening/rules/hit.ts";
import type { Subject } from "../screening/rules/screening.ts";
import { entryName, type SubjectDocument, subjectOf } from "./document.ts";
import { type MonitorDeps, monitorRound, rescreenOverdue } from "./round.ts";
import {
  finishScreening,
  rescreen,
  type SubjectDeps,
  screenSubject,
  stampOf,
  verdictWithout,
} from "./subject-screening.ts";

/**
 * The maximum subjects in a removal's proposal. A person reads fewer, and comparing this many takes
 * some seconds.
 */
const subjectsMax = 500;
/** The maximum concurrent comparisons. A low number keeps delays of live requests short. */
const comparedAtOnce = 4;

/** The interval at which the monitor looks for changes without a wake-up. */
const pollMs = 1_000;
/** The delay before subjects that could not be screened are tried again. */
const failedWaitMs = 30_000;
/** The lease of the monitor. After a crash, another process takes over within this time. */
const leaseMs = 10_000;
/** The age at which an unfinished screening counts as interrupted by a crash. */
const finishAfterMs = 5_000;
const gaugesMs = 30_000;
/** The interval of the search for overdue subjects. */
const overdueMs = 60_000;
const dayMs = 86_400_000;

export type MonitoringOptions = {
  readonly database: Database;
  readonly bus: Bus;
  readonly metrics: Metrics;
  /** Wakes the monitor after a new index has replaced the previous one. */
  readonly switched: Wake;
  /**
   * The maximum days between two full comparisons of a subject. As lists grow, the rarity of words
   * changes. This changes scores slightly, even if a subject's own entries stay the same.
   */
  readonly wholeEveryDays: number;
};

export type MonitoringDeps = Omit<
  MonitorDeps,
  "eventPending" | "compared" | "screened" | "holdsLease"
>;

/** Starts the event relay, the monitor and its sweeps. */
export function startMonitoring(options: MonitoringOptions, given: MonitoringDeps) {
  const { database, bus, metrics, switched } = options;
  const { subjects, log } = given;
  const pending = createWake();
  const relay = startRelay({ outbox: subjects.outbox, bus, log, wake: pending });
  const compared = metrics.counter(
    "disburse_subjects_compared_total",
    "Full comparisons of monitored subjects with the lists, by trigger and outcome.",
    ["trigger", "outcome"],
  );
  const screenings = metrics.counter(
    "disburse_screenings_total",
    "Screenings, by kind and verdict.",
    ["kind", "verdict"],
  );
  const lease = createSweepLease(database, "monitoring", leaseMs);
  let stopping = false;
  // A long round ends early when the process stops. The next process continues the round.
  const holdsLease = async () => !stopping && (await lease.hold()) !== undefined;
  const deps: MonitorDeps = {
    ...given,
    eventPending: pending.notify,
    compared: (trigger, outcome) => compared.inc({ trigger, outcome }),
    screened: ({ kind, verdict }) => screenings.inc({ kind, verdict }),
    holdsLease,
  };
  const run = monitorWork(deps, lease.release);
  const monitor = startLoop({ name: "monitor", everyMs: pollMs, wake: switched, run, log });
  const overdue = overdueRun(deps, options);
  const gauges = monitorGauges(deps, metrics);
  const loops: Loop[] = [
    relay,
    monitor,
    startLoop({ name: "monitor-again", everyMs: overdueMs, run: overdue, log }),
    startLoop({ name: "monitor-gauges", everyMs: gaugesMs, run: gauges, log }),
  ];
  const rescreened = async (subject: Subject) => {
    await rescreen(deps, subject, "list_change");
    const inForce = await subjects.get(subject);
    return inForce && (await deps.store.get(inForce.screening_id));
  };
  return {
    ...deps,
    /** Compares one subject now. Returns `undefined` if it is not monitored. */
    rescreened,
    makeOverdue: subjects.makeOverdue,
    screenSubject: (requested: ScreeningRequest, by: Change, signal?: AbortSignal) =>
      screenSubject(deps, requested, by, signal),
    rescreen: (subject: Subject, trigger: "decision") => rescreen(deps, subject, trigger),
    /**
     * Sets the verdict of a sandbox merchant's own subject and screens the subject again. Returns
     * `undefined` if the subject does not exist.
     */
    setListing: async (subject: Subject, verdict: Verdict) => {
      return (await subjects.setListing(subject, verdict)) ? rescreened(subject) : undefined;
    },
    progress: () => monitoringProgress(deps),
    easedBy: (list: string, forms: readonly ListEntry[], others?: readonly ListForms[]) =>
      easedBy(deps, list, forms, others),
    stop: async () => {
      stopping = true;
      await Promise.all(loops.map((loop) => loop.stop()));
      await lease.release();
    },
  };
}

/** Completes screenings after a crash, then compares subjects if lists or configuration changed. */
export function monitorWork(deps: MonitorDeps, yieldLease: () => Promise<void>) {
  let failed = { with: "", until: 0 };
  let wasAhead = false;
  return async (): Promise<boolean> => {
    const stamp = deps.watch.current()?.stamp ?? "";
    // Failed subjects wait before a retry, but are retried at once with a different index.
    if (failed.with === stamp && performance.now() < failed.until) return false;
    if (!(await deps.holdsLease())) return false;
    await finishLeftovers(deps);
    const { ahead, ...compared } = await monitorRound(deps);
    if (compared.screened + compared.spared + compared.failed > 0) {
      deps.log.info(compared, "monitored subjects compared with changed lists or configuration");
    }
    if (compared.failed > 0) failed = { with: stamp, until: performance.now() + failedWaitMs };
    if (ahead > 0 && !wasAhead) {
      deps.log.warn(
        { ahead },
        "monitored subjects skipped: another process compared them with a newer configuration",
      );
    }
    wasAhead = ahead > 0;
    // Releases the lease, so that a process with the newer configuration can take over.
    if (wasAhead) await yieldLease();
    return false;
  };
}

async function finishLeftovers(deps: MonitorDeps): Promise<void> {
  const moment = new Date(deps.clock.now().getTime() - finishAfterMs);
  for (const left of await deps.subjects.unfinished(moment)) {
    await finishScreening(deps, left).catch((error: unknown) => {
      const fields = { err: error, screening_id: left.screening_id };
      deps.log.error(fields, "raising the alerts of a screening failed; it will be retried");
    });
  }
}

function overdueRun(deps: MonitorDeps, { wholeEveryDays }: MonitoringOptions) {
  return async (): Promise<boolean> => {
    if (deps.watch.current() === undefined || !(await deps.holdsLease())) return false;
    const since = new Date(deps.clock.now().getTime() - wholeEveryDays * dayMs);
    await rescreenOverdue(deps, since);
    return false;
  };
}

type GaugeDeps = Pick<MonitorDeps, "subjects" | "watch" | "hashes" | "clock">;

/** Returns a run that updates the gauges of monitoring. */
export function monitorGauges(deps: GaugeDeps, metrics: Metrics): () => Promise<boolean> {
  const { subjects, clock } = deps;
  const count = metrics.gauge("disburse_subjects", "Monitored subjects.", ["verdict"]);
  const pending = metrics.gauge(
    "disburse_screening_events_pending",
    "Monitored subjects with an event that is not published yet.",
    [],
  );
  const lag = metrics.gauge(
    "disburse_monitoring_lag_seconds",
    "Seconds since the oldest list or configuration change with which some subjects are not compared yet.",
    [],
  );
  let noticedAt: number | undefined;
  return async () => {
    for (const [verdict, number] of await subjects.countByVerdict()) {
      count.set({ verdict }, number);
    }
    pending.set(await subjects.countPendingEvents());
    const behind = await subjectsBehind(deps);
    const now = clock.now().getTime();
    noticedAt = behind.length === 0 ? undefined : (noticedAt ?? now);
    const missed = behind.flatMap((each) => missedImports(deps, each));
    lag.set((now - Math.min(noticedAt ?? now, ...missed)) / 1_000);
    return false;
  };
}

/** The progress of comparing subjects with the lists in force. */
export async function monitoringProgress(deps: GaugeDeps) {
  const { subjects, watch, hashes } = deps;
  const index = watch.current();
  const [verdicts, eventsPending, behind, samples] = await Promise.all([
    subjects.countByVerdict(),
    subjects.countPendingEvents(),
    index === undefined ? 0 : subjects.countOthers(stampOf(index, hashes)),
    subjectsBehind(deps),
  ]);
  const missed = samples.flatMap((each) => missedImports(deps, each));
  const behindSince = missed.length === 0 ? undefined : new Date(Math.min(...missed));
  return { verdicts, eventsPending, behind, behindSince };
}

/**
 * Returns one subject for each stamp other than the current one, so for each older state of lists
 * and configuration.
 */
async function subjectsBehind({ watch, subjects, hashes }: GaugeDeps): Promise<SubjectDocument[]> {
  const index = watch.current();
  if (index === undefined) return [];
  const stamps = await subjects.otherStamps(stampOf(index, hashes));
  const samples = await Promise.all(stamps.map((stamp) => subjects.sample(stamp)));
  return samples.filter((sample) => sample !== undefined);
}

/** Returns the times of imports that a subject was not yet compared with, in milliseconds. */
function missedImports({ watch }: GaugeDeps, { lists }: SubjectDocument): number[] {
  const known = new Set(lists.map((each) => each.import_id));
  const missed = watch.current()?.lists.filter(({ importId }) => !known.has(importId)) ?? [];
  return missed.map(({ importedAt }) => importedAt.getTime());
}

/**
 * Finds subjects that would have a milder verdict without some forms of a list's entries. Each
 * stopped subject with a hit of these entries is compared again, without the hits of these forms
 * and of `others`.
 */
export async function easedBy(
  deps: SubjectDeps,
  list: string,
  forms: readonly ListEntry[],
  others: readonly ListForms[] = [],
): Promise<Eased> {
  const names = [...new Set(forms.map(({ uid }) => entryName(list, uid)))];
  const stopped = await deps.subjects.stoppedBy(names, subjectsMax + 1);
  const keysOf = new Map(
    [...others, { list, forms }].map((each) => [each.list, new Set(each.forms.map(formKey))]),
  );
  const keyOfHit = (hit: ScreeningHit) => keyOfForm(hit.entryFingerprint, hit.entryUid);
  const isOfForms = (hit: ScreeningHit) => keysOf.get(hit.list)?.has(keyOfHit(hit)) ?? false;
  const subjects: EasedSubject[] = [];
  const counting = new Set<string>();
  for (let at = 0; at < Math.min(stopped.length, subjectsMax); at += comparedAtOnce) {
    const some = stopped.slice(at, Math.min(at + comparedAtOnce, subjectsMax));
    const verdictsOf = some.map((document) => verdictWithout(deps, document, isOfForms));
    for (const [index, { from, to, leftOut }] of (await Promise.all(verdictsOf)).entries()) {
      const document = some[index];
      if (document === undefined || verdicts.indexOf(to) >= verdicts.indexOf(from)) continue;
      subjects.push({ ...subjectOf(document), from, to });
      for (const hit of leftOut) if (hit.list === list) counting.add(keyOfHit(hit));
    }
  }
  return { subjects, forms: counting, isCut: stopped.length > subjectsMax };
}
