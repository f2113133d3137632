import type { ChangedEntries, ListDifference } from "../lists/changed-entries.ts";
import type { ScreeningTrigger, Subject } from "../screening/rules/screening.ts";
import type { ScreeningIndex } from "../screening/screening-index.ts";
import { entryName, importRefs, type SubjectDocument } from "./document.ts";
import { comparedWith, isAhead, rescreen, type SubjectDeps, stampOf } from "./subject-screening.ts";

export type MonitorDeps = SubjectDeps & {
  readonly changedEntries: ChangedEntries;
  /** True while this process holds the lease; otherwise another process takes over. */
  readonly holdsLease: () => Promise<boolean>;
};

const noCounts = {
  /** Subjects that were fully screened again. */
  screened: 0,
  /** Subjects that were only marked as compared, because no change concerns them. */
  spared: 0,
  /** Subjects that could not be screened now and are still due. */
  failed: 0,
  /** Skipped stamps, whose subjects were compared with a newer configuration. */
  ahead: 0,
};
type RoundCounts = typeof noCounts;

/**
 * The maximum changed entries for a selective comparison. With more, nearly every subject shares a
 * word with one of them.
 */
const entriesMax = 1_000;
/** The maximum changed or removed entries. With more, a filter of their names would be too long. */
const leftMax = 10_000;
/** Keys that one command searches. */
const keysSlice = 5_000;
/** The maximum failures to log in one round. The lag metric shows that there are more. */
const failuresLogged = 10;
/** The maximum concurrent screenings. A low number keeps delays of live requests short. */
const concurrency = 4;

/**
 * Compares subjects whose stamp is not current with the lists in force. A subject is screened again
 * if a changed entry may concern it. Otherwise it is only marked with the current stamp. Each write
 * checks the subject's stored state. So after a crash, or with concurrent processes or list
 * switches, a subject without the current stamp is still due.
 */
export async function monitorRound(deps: MonitorDeps): Promise<RoundCounts> {
  const counts: RoundCounts = { ...noCounts };
  const known = deps.watch.current();
  if (known === undefined) return counts;
  const stamps = await deps.subjects.otherStamps(stampOf(known, deps.hashes));
  if (stamps.length === 0) return counts;
  // The lists are read after the stamps, so they are at least as new as those that the stamps
  // identify.
  await deps.watch.refresh();
  const index = deps.watch.current() ?? known;
  for (const stamp of stamps) {
    if (stamp !== stampOf(index, deps.hashes)) await rescreenStamp(deps, stamp, index, counts);
  }
  return counts;
}

/**
 * Screens all subjects again whose last full comparison was before `since`. A subject that cannot
 * be screened is skipped until the next run.
 */
export async function rescreenOverdue(deps: MonitorDeps, since: Date): Promise<RoundCounts> {
  const counts: RoundCounts = { ...noCounts };
  const index = deps.watch.current();
  if (index === undefined) return counts;
  const due = deps.subjects.notComparedSince(since, index.configurationRevision);
  await rescreenAll(deps, due, "list_change", counts);
  return counts;
}

async function rescreenStamp(
  deps: MonitorDeps,
  stamp: string,
  index: ScreeningIndex,
  counts: RoundCounts,
): Promise<void> {
  const sample = await deps.subjects.sample(stamp);
  if (sample === undefined) return;
  if (isAhead(sample, index)) {
    counts.ahead += 1;
    return;
  }
  const plan = await planOf(deps, sample, index);
  if ("trigger" in plan) {
    await rescreenAll(deps, deps.subjects.pages({ stamp }), plan.trigger, counts);
    return;
  }
  const { entries, keys } = plan;
  for (let at = 0; at < entries.length; at += keysSlice) {
    const some = deps.subjects.pages({ stamp, entries: entries.slice(at, at + keysSlice) });
    await rescreenAll(deps, some, "list_change", counts);
  }
  for (let at = 0; at < keys.length; at += keysSlice) {
    const some = deps.subjects.pages({ stamp, keys: keys.slice(at, at + keysSlice) });
    await rescreenAll(deps, some, "list_change", counts);
  }
  const to = comparedWith(index, deps.hashes);
  for await (const page of deps.subjects.pages({ stamp })) {
    if (!(await deps.holdsLease())) return;
    counts.spared += await deps.subjects.restamp(page, { stamp, keys, entries }, to);
  }
}

/**
 * The subjects that a list difference concerns: all, or those with one of these keys or entries.
 */
type Plan =
  | { readonly trigger: "list_change" | "configuration_change" }
  | { readonly keys: readonly number[]; readonly entries: readonly string[] };

async function planOf(
  { changedEntries, hashes, log }: MonitorDeps,
  sample: SubjectDocument,
  index: ScreeningIndex,
): Promise<Plan> {
  const isSameRules =
    sample.keyring === hashes.keyring &&
    sample.configuration_version === index.configurationVersion;
  if (!isSameRules) return { trigger: "configuration_change" };
  const differences = await changedEntries(importRefs(sample), index.lists).catch(
    // If an old version cannot be read, its changes are unknown, and all subjects are screened.
    (error: unknown) =>
      log.error({ err: error }, "comparing list versions failed; all subjects are rescreened"),
  );
  if (differences === undefined) return { trigger: "list_change" };
  const compared = differences.flatMap(({ added, changed }) => [...added, ...changed]);
  if (compared.length > entriesMax) return { trigger: "list_change" };
  const entries = differences.flatMap(leftEntries);
  const keys = entries.length > leftMax ? undefined : await hashes.ofEntries(compared);
  return keys === undefined ? { trigger: "list_change" } : { keys, entries };
}

/**
 * Returns the entries that changed or were removed. Subjects with a hit of these may no longer have
 * it.
 */
function leftEntries({ list, changed, removed }: ListDifference): string[] {
  return [...changed, ...removed].map(({ uid }) => entryName(list, uid));
}

async function rescreenAll(
  deps: MonitorDeps,
  pages: AsyncIterable<readonly Subject[]>,
  trigger: Exclude<ScreeningTrigger, "request">,
  counts: RoundCounts,
): Promise<void> {
  for await (const page of pages) {
    if (!(await deps.holdsLease())) return;
    await rescreenEach(deps, page, trigger, counts);
  }
}

async function rescreenEach(
  deps: MonitorDeps,
  page: readonly Subject[],
  trigger: Exclude<ScreeningTrigger, "request">,
  counts: RoundCounts,
): Promise<void> {
  const queue = page.values();
  const work = async () => {
    for (const subject of queue) {
      try {
        await rescreen(deps, subject, trigger);
        counts.screened += 1;
      } catch (error) {
        // The round continues with the other subjects. This subject is still due.
        counts.failed += 1;
        if (counts.failed > failuresLogged) continue;
        deps.log.error(
          { err: error, record_id: subject.recordId },
          "rescreening a subject failed; it will be retried",
        );
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}
