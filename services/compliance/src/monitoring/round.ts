import type { ChangedEntries, ListDifference } from "../lists/changed-entries.ts";
import type { ScreeningTrigger, Subject } from "../screening/rules/screening.ts";
import type { ScreeningIndex } from "../screening/screening-index.ts";
import { entryName, importRefs, type SubjectDocument } from "./document.ts";
import { comparedWith, isAhead, rescreen, type SubjectDeps, stampOf } from "./subject-screening.ts";

export type MonitorDeps = SubjectDeps & {
  readonly changedEntries: ChangedEntries;
  /** Whether this process may go on; another one takes over when it may not. */
  readonly held: () => Promise<boolean>;
};

/** What a round did. */
export type RoundResult = {
  /** Screened again whole. */
  readonly screened: number;
  /** Only marked, since nothing that changed concerns them. */
  readonly spared: number;
  /** Could not be screened now: they are still due. */
  readonly failed: number;
  /** States that subjects were left in since newer numbers of the matcher were there already. */
  readonly ahead: number;
};

type Tally = { -readonly [each in keyof RoundResult]: number };
const nothingDone: RoundResult = { screened: 0, spared: 0, failed: 0, ahead: 0 };

/** Past so many changed entries nearly every subject shares a word with one of them. */
const entriesMax = 1_000;
/** Past so many entries that changed or went, a filter of their names gets too long. */
const leftMax = 10_000;
/** Keys looked up by one command. */
const keysSlice = 5_000;
/** Failures of one round that the log tells of; the metric of the lag tells of the others. */
const failuresTold = 10;
/** Subjects screened side by side, so that owners who ask now wait little. */
const sideBySide = 4;

/**
 * Compares those subjects with the lists in force that were last compared with something else:
 * whole where a changed entry may concern them, else by a mark. What a subject says of itself
 * decides in each write, so that a crash, another process or another switch of the lists on the
 * way loses nothing: who is not marked is still due.
 */
export async function monitorRound(deps: MonitorDeps): Promise<RoundResult> {
  const tally: Tally = { ...nothingDone };
  const known = deps.watch.current();
  if (known === undefined) return tally;
  const stamps = await deps.subjects.otherStamps(stampOf(known, deps.hashes));
  if (stamps.length === 0) return tally;
  // Read after the stamps, the lists in force are not older than what any of them stands for.
  await deps.watch.refresh();
  const index = deps.watch.current() ?? known;
  for (const stamp of stamps) {
    if (stamp !== stampOf(index, deps.hashes)) await bringForward(deps, stamp, index, tally);
  }
  return tally;
}

/**
 * Screens all subjects again that were not compared whole since a moment. Those that cannot be
 * screened are passed over, to be tried again by the next walk.
 */
export async function compareAgain(deps: MonitorDeps, since: Date): Promise<RoundResult> {
  const tally: Tally = { ...nothingDone };
  const index = deps.watch.current();
  if (index === undefined) return tally;
  const due = deps.subjects.notComparedSince(since, index.configurationRevision);
  await rescreenAll(deps, due, "list_change", tally);
  return tally;
}

async function bringForward(
  deps: MonitorDeps,
  stamp: string,
  index: ScreeningIndex,
  tally: Tally,
): Promise<void> {
  const sample = await deps.subjects.sample(stamp);
  if (sample === undefined) return;
  if (isAhead(sample, index)) {
    tally.ahead += 1;
    return;
  }
  const plan = await planOf(deps, sample, index);
  if ("trigger" in plan) {
    await rescreenAll(deps, deps.subjects.pages({ stamp }), plan.trigger, tally);
    return;
  }
  const { entries, keys } = plan;
  for (let at = 0; at < entries.length; at += keysSlice) {
    const some = deps.subjects.pages({ stamp, entries: entries.slice(at, at + keysSlice) });
    await rescreenAll(deps, some, "list_change", tally);
  }
  for (let at = 0; at < keys.length; at += keysSlice) {
    const some = deps.subjects.pages({ stamp, keys: keys.slice(at, at + keysSlice) });
    await rescreenAll(deps, some, "list_change", tally);
  }
  const to = comparedWith(index, deps.hashes);
  for await (const page of deps.subjects.pages({ stamp })) {
    if (!(await deps.held())) return;
    tally.spared += await deps.subjects.restamp(page, { stamp, keys, entries }, to);
  }
}

/** Whom a difference concerns: everyone, or those who have one of these keys or entries. */
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
    // What changed since a version that cannot be read any more, nobody knows.
    (error: unknown) => log.error({ err: error }, "lists not compared: everybody is screened"),
  );
  if (differences === undefined) return { trigger: "list_change" };
  const compared = differences.flatMap(({ added, changed }) => [...added, ...changed]);
  if (compared.length > entriesMax) return { trigger: "list_change" };
  const entries = differences.flatMap(leftEntries);
  const keys = entries.length > leftMax ? undefined : await hashes.ofEntries(compared);
  return keys === undefined ? { trigger: "list_change" } : { keys, entries };
}

/** Who hit one of these may not any more. */
function leftEntries({ list, changed, removed }: ListDifference): string[] {
  return [...changed, ...removed].map(({ uid }) => entryName(list, uid));
}

async function rescreenAll(
  deps: MonitorDeps,
  pages: AsyncIterable<readonly Subject[]>,
  trigger: Exclude<ScreeningTrigger, "request">,
  tally: Tally,
): Promise<void> {
  for await (const page of pages) {
    if (!(await deps.held())) return;
    await rescreenEach(deps, page, trigger, tally);
  }
}

async function rescreenEach(
  deps: MonitorDeps,
  page: readonly Subject[],
  trigger: Exclude<ScreeningTrigger, "request">,
  tally: Tally,
): Promise<void> {
  const queue = page.values();
  const work = async () => {
    for (const subject of queue) {
      try {
        await rescreen(deps, subject, trigger);
        tally.screened += 1;
      } catch (error) {
        // One that cannot be screened must not keep the others waiting; it is still due.
        tally.failed += 1;
        if (tally.failed > failuresTold) continue;
        deps.log.error({ err: error, record_id: subject.recordId }, "subject not screened again");
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
}
