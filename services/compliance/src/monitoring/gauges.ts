import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { SubjectDocument } from "./document.ts";
import type { MonitorDeps } from "./round.ts";
import { stampOf } from "./subject-screening.ts";

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
