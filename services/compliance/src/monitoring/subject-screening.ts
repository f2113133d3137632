import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import { refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { newId } from "@disburse/kernel/id.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { SubjectAlerts } from "../alerts/raising.ts";
import { orThrow, refusals } from "../refusals.ts";
import { openScreening, screeningDocument } from "../screening/document.ts";
import type { Asked } from "../screening/request.ts";
import {
  type DecidedFinding,
  decidableMax,
  decidedFinding,
  isCut,
} from "../screening/rules/decided-finding.ts";
import type { ScreeningHit } from "../screening/rules/hit.ts";
import type { Screening, ScreeningTrigger, Subject } from "../screening/rules/screening.ts";
import type { IndexWatch, ScreeningIndex } from "../screening/screening-index.ts";
import type { ScreeningStore, StoredScreening } from "../screening/store.ts";
import {
  type Compared,
  configurationRevision,
  entryName,
  foundOf,
  openAsked,
  type SubjectDocument,
  type SubjectState,
  screeningChanged,
  sealAsked,
  subjectFields,
  subjectOf,
} from "./document.ts";
import type { ReverseHashes } from "./reverse-hashes.ts";
import type { SubjectStore } from "./store.ts";

export type SubjectDeps = {
  readonly store: ScreeningStore;
  readonly subjects: SubjectStore;
  readonly watch: IndexWatch;
  readonly alerts: SubjectAlerts;
  readonly hashes: ReverseHashes;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of each new screening. */
  readonly screened: (screening: Screening) => void;
  /** Told of each comparison of a subject that was taken into force. */
  readonly compared: (trigger: ScreeningTrigger, outcome: "same" | "changed") => void;
  /** Told that a subject owes an event. */
  readonly owes: () => void;
};

/** A subject is screened by few at a time; each time one of them is not overtaken. */
const triesMax = 50;

/**
 * Screens a subject for its owner, once for each operation, and monitors it from then on. The one
 * write of the subject's document takes the result into force; who read the document before
 * another one did so begins again, so the last word rests on the last lists and decisions.
 */
export async function screenSubject(
  deps: SubjectDeps,
  asked: Asked,
  by: Change,
): Promise<StoredScreening> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const before = await deps.subjects.get(asked.subject);
    // An operation's first result is kept, or still in the subject's document: looked for in this
    // order it cannot be missed.
    if (before?.recording !== undefined) await deps.store.keep(before.recording);
    const first = await deps.store.findOperation("party", by.operationId);
    if (first !== undefined) return first;
    const comparison = await compare(deps, before, asked);
    const taken = await take(deps, before, comparison, { trigger: "request", ...by });
    if (taken !== undefined) return taken;
  }
  throw new Error("a subject was overtaken by other screenings again and again");
}

/**
 * Screens a monitored subject again as it was last asked. A result that is another one than before
 * is kept and its alerts are raised; another verdict is owed to the owner as an event. Refuses as
 * unavailable who was compared with newer numbers of the matcher.
 */
export async function rescreen(
  deps: SubjectDeps,
  subject: Subject,
  trigger: Exclude<ScreeningTrigger, "request">,
): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const before = await deps.subjects.get(subject);
    if (before === undefined) return;
    if (before.recording !== undefined) await deps.store.keep(before.recording);
    const comparison = await compare(deps, before, openAsked(before, deps.sealer));
    if (comparison.found === before.found) {
      const at = { compared_at: deps.clock.now() };
      if (
        await deps.subjects.compared(before, { ...(await comparedAs(deps, comparison)), ...at })
      ) {
        deps.compared(trigger, "same");
        return;
      }
    } else {
      const by = { trigger, actor: { kind: "service", id: "compliance" } as const };
      if ((await take(deps, before, comparison, by)) !== undefined) return;
    }
  }
  throw new Error("a subject was overtaken by other screenings again and again");
}

/** Keeps a subject's screening and raises its alerts, where that was not done yet. */
export async function settle(deps: SubjectDeps, document: SubjectDocument): Promise<void> {
  const { recording } = document;
  if (recording === undefined) return;
  await deps.store.keep(recording);
  await raiseAlerts(deps, { ...document, recording });
}

/** The last of what follows a screening that is in force and kept. */
async function raiseAlerts(deps: SubjectDeps, document: SubjectState): Promise<void> {
  const { screening, request } = openScreening(document.recording, deps.sealer);
  const { revision } = document;
  const subject = subjectOf(document);
  await deps.alerts.raise({ subject, revision, request: JSON.parse(request), screening });
  await deps.subjects.settled(document._id, screening.id);
}

/** The stamp of who was compared with an index, and is found again by hashes of a keyring. */
export function stampOf(index: ScreeningIndex, { keyring }: ReverseHashes): string {
  return `${keyring} ${index.stamp}`;
}

/** What subjects say that were compared with an index. */
export function comparedWith(index: ScreeningIndex, hashes: ReverseHashes): Compared {
  return {
    stamp: stampOf(index, hashes),
    keyring: hashes.keyring,
    configuration_version: index.configurationVersion,
    configuration_revision: index.configurationRevision,
    lists: index.lists.map(({ list, importId }) => ({ list, import_id: importId })),
  };
}

type Comparison = {
  readonly asked: Asked;
  readonly index: ScreeningIndex;
  readonly finding: DecidedFinding;
  /** See `SubjectDocument`. */
  readonly found: string;
  readonly entries: readonly string[];
};

/** Compares with the lists in force and with what people decided, both no older than `before`. */
async function compare(
  deps: SubjectDeps,
  before: SubjectDocument | undefined,
  asked: Asked,
): Promise<Comparison> {
  const index = await indexSince(deps, before);
  const { subject, parties, wallets } = asked;
  const request = { parties, wallets };
  const first = await index.screen(request);
  // People may have decided about all that is listed: what else there is counts too.
  const finding = isCut(first) ? await index.screen({ ...request, most: decidableMax }) : first;
  const { configurationVersion } = index;
  const found = { request, hits: finding.hits, lists: index.lists };
  const decisions = await deps.alerts.decisionsOf(subject, found);
  const decided = decidedFinding(finding, decisions);
  const standing = decisions.standing.map(namedEntry);
  return {
    ...{ asked, index, finding: decided },
    found: foundOf(decided, standing, configurationVersion),
    entries: [...new Set([...decided.hits.map(namedEntry), ...standing])],
  };
}

function namedEntry(hit: Pick<ScreeningHit, "list" | "entryUid">): string {
  return entryName(hit.list, hit.entryUid);
}

/** Whether a subject was compared with newer numbers of the matcher than this process has. */
export function isAhead(subject: Compared, index: ScreeningIndex): boolean {
  return configurationRevision(subject) > index.configurationRevision;
}

/**
 * The index in force. A subject that was compared with another one may have been so by a process
 * that read a newer list already: then this one reads the lists too, and never goes back. Newer
 * numbers it cannot read: it refuses as unavailable, and a process that has them answers.
 */
async function indexSince(
  { watch, hashes }: SubjectDeps,
  before: SubjectDocument | undefined,
): Promise<ScreeningIndex> {
  const known = watch.current();
  const isOther = known !== undefined && before?.stamp !== stampOf(known, hashes);
  if (before !== undefined && isOther) await watch.refresh();
  const index = orThrow(watch.current() ?? refused("NO_LIST_IN_FORCE"));
  if (before !== undefined && isAhead(before, index)) {
    throw refusalError(refusals, refused("INDEX_UNAVAILABLE"));
  }
  return index;
}

async function comparedAs({ hashes, sealer }: SubjectDeps, { asked, index }: Comparison) {
  return {
    ...comparedWith(index, hashes),
    keys: await hashes.ofRequest(asked),
    sealed: sealAsked(asked, sealer),
  };
}

/** Takes a result into force; `undefined` when another one came between. */
async function take(
  deps: SubjectDeps,
  before: SubjectDocument | undefined,
  comparison: Comparison,
  by: {
    readonly trigger: ScreeningTrigger;
    readonly actor: StoredActor;
    readonly operationId?: string;
  },
): Promise<StoredScreening | undefined> {
  const { asked, index, finding } = comparison;
  const { trigger, actor } = by;
  const at = laterThan(before?.screened_at, deps.clock.now());
  const screening: Screening = {
    ...finding,
    id: newId("screening", at),
    kind: "party",
    trigger,
    subject: asked.subject,
    lists: index.lists,
    configurationVersion: index.configurationVersion,
    createdAt: at,
  };
  const request = JSON.stringify(asked);
  // Of what nobody asked for, the screening is its own operation.
  const made = { screening, operationId: by.operationId ?? screening.id, actor, request };
  const next: SubjectState = {
    ...subjectFields(asked.subject),
    ...(await comparedAs(deps, comparison)),
    revision: (before?.revision ?? 0) + 1,
    verdict: screening.verdict,
    screening_id: screening.id,
    screened_at: at,
    compared_at: at,
    ...{ found: comparison.found, entries: comparison.entries },
    recording: screeningDocument(made, deps.sealer),
  };
  const isNews = trigger !== "request" && before?.verdict !== screening.verdict;
  const event = isNews ? screeningChanged(screening) : undefined;
  if (!(await deps.subjects.put(before, next, event))) return undefined;
  deps.compared(trigger, "changed");
  deps.screened(screening);
  if (event !== undefined) deps.owes();
  await deps.store.keep(next.recording);
  // The result is in force: what failed of its alerts is swept up.
  await raiseAlerts(deps, next).catch((error: unknown) => {
    deps.log.error({ err: error, screening_id: screening.id }, "alerts not raised yet");
  });
  return { screening, request };
}

function laterThan(before: Date | undefined, now: Date): Date {
  return before === undefined || before < now ? now : new Date(before.getTime() + 1);
}
