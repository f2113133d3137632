import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import { refusalError } from "@disburse/chassis/rpc/refusal.ts";
import { newId } from "@disburse/kernel/id.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Verdict } from "@disburse/name-matcher/verdict.ts";
import type { SubjectAlerts } from "../alerts/raising.ts";
import { orThrow, refusals } from "../refusals.ts";
import type { ScreeningRequest } from "../screening/request.ts";
import { decidableMax, decidedFinding, isTruncated } from "../screening/rules/decided-finding.ts";
import { type ScreeningHit, withOwnListing } from "../screening/rules/hit.ts";
import type { Screening, ScreeningTrigger, Subject } from "../screening/rules/screening.ts";
import type { IndexWatch, ScreeningIndex, Waiter } from "../screening/screening-index.ts";
import {
  openScreening,
  type ScreeningStore,
  type StoredScreening,
  screeningDocument,
} from "../screening/store.ts";
import type { BlockingHashes } from "./blocking-hashes.ts";
import {
  type Compared,
  entryName,
  foundOf,
  openRequest,
  type SubjectDocument,
  type SubjectState,
  screeningChanged,
  sealRequest,
  subjectFields,
  subjectOf,
} from "./document.ts";
import type { SubjectStore } from "./store.ts";

export type SubjectDeps = {
  readonly store: ScreeningStore;
  readonly subjects: SubjectStore;
  readonly watch: IndexWatch;
  readonly alerts: SubjectAlerts;
  readonly hashes: BlockingHashes;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly log: Log;
  readonly screened: (screening: Screening) => void;
  /** Called after a subject's comparison came into force. */
  readonly compared: (trigger: ScreeningTrigger, outcome: "same" | "changed") => void;
  /** Wakes the relay for a pending event. */
  readonly eventPending: () => void;
};

/**
 * The maximum attempts to screen a subject. Few processes screen the same subject at once, and in
 * each round of attempts one of them succeeds.
 */
const triesMax = 50;

/**
 * Screens a subject for its owner, once for each operation, and monitors the subject from then on.
 * A single write of the subject's document brings the result into force. If another write changed
 * the document since the read, the screening starts again. So the result in force always uses the
 * latest lists and decisions.
 */
export async function screenSubject(
  deps: SubjectDeps,
  request: ScreeningRequest,
  by: Change,
  signal?: AbortSignal,
): Promise<StoredScreening> {
  const waiter = { merchantId: request.subject.merchantId, signal };
  for (let tries = 0; tries < triesMax; tries += 1) {
    const before = await deps.subjects.get(request.subject);
    // An operation's first result is either stored or still in the subject's document. This order
    // of checks cannot miss it.
    if (before?.recording !== undefined) await deps.store.keep(before.recording);
    const opener = before?.opened_by;
    const first = await deps.store.findInForce(by.operationId, request.subject, opener);
    if (first !== undefined) return first;
    const comparison = await compare(deps, before, request, waiter);
    const committed = await commit(deps, before, comparison, { trigger: "request", ...by });
    if (committed !== undefined) return committed;
  }
  throw new Error(
    "every attempt to store the screening failed, because another one of the subject was stored first",
  );
}

/**
 * Screens a monitored subject again with its last request. If the result differs, stores it and
 * raises alerts. If the verdict differs, publishes an event to the owner. Throws `UNAVAILABLE` if
 * the subject was compared with a newer configuration of the matcher.
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
    const comparison = await compare(deps, before, openRequest(before, deps.sealer));
    if (comparison.found === before.found) {
      const as = { ...(await comparedAs(deps, comparison)), compared_at: deps.clock.now() };
      if (!(await deps.subjects.compared(before, as))) continue;
      deps.compared(trigger, "same");
      return;
    }
    const actor = { kind: "service", id: "compliance" } as const;
    if ((await commit(deps, before, comparison, { trigger, actor })) !== undefined) return;
  }
  throw new Error(
    "every attempt to store the screening failed, because another one of the subject was stored first",
  );
}

/** After a crash, stores a subject's screening and raises its alerts. */
export async function finishScreening(deps: SubjectDeps, document: SubjectDocument): Promise<void> {
  const { recording } = document;
  if (recording === undefined) return;
  await deps.store.keep(recording);
  await raiseAlerts(deps, { ...document, recording });
}

/** Raises the alerts of a screening that is in force and stored. This is its last step. */
async function raiseAlerts(deps: SubjectDeps, document: SubjectState): Promise<void> {
  const { screening, request } = openScreening(document.recording, deps.sealer);
  const { revision } = document;
  const subject = subjectOf(document);
  await deps.alerts.raise({ subject, revision, request: JSON.parse(request), screening });
  await deps.subjects.finished(document._id, screening.id);
}

/** Returns the stamp of subjects that were compared with this index and keyring. */
export function stampOf(index: ScreeningIndex, { keyring }: BlockingHashes): string {
  return `${keyring} ${index.stamp}`;
}

/** Returns the fields of a subject that record a comparison with an index. */
export function comparedWith(index: ScreeningIndex, hashes: BlockingHashes): Compared {
  return {
    stamp: stampOf(index, hashes),
    keyring: hashes.keyring,
    configuration_version: index.configurationVersion,
    configuration_revision: index.configurationRevision,
    lists: index.lists.map(({ list, importId }) => ({ list, import_id: importId })),
  };
}

type Comparison = Awaited<ReturnType<typeof compare>>;

/**
 * Compares a request with the lists in force and with operators' decisions. Neither is older than
 * those of `before`.
 */
async function compare(
  deps: SubjectDeps,
  before: SubjectDocument | undefined,
  request: ScreeningRequest,
  waiter?: Waiter,
) {
  const index = await indexSince(deps, before);
  const all = await hitsOf(index, before, request, waiter);
  return decidedComparison(deps, before, request, { index, hits: all });
}

/** Returns all hits that operators may have decided about. */
async function hitsOf(
  index: ScreeningIndex,
  before: SubjectDocument | undefined,
  { parties, wallets, banks }: ScreeningRequest,
  waiter?: Waiter,
): Promise<readonly ScreeningHit[]> {
  const query = { parties, wallets, banks };
  const first = await index.screen(query, waiter);
  // The first result lists only some hits. Operators may have decided about all of these, so the
  // hits beyond them are read too.
  const every = { ...query, most: decidableMax };
  const listed = isTruncated(first) ? await index.screen(every, waiter) : first;
  const type = parties[0]?.type ?? "individual";
  const all = before?.listed === undefined ? listed : withOwnListing(listed, type, before.listed);
  return all.hits;
}

async function decidedComparison(
  deps: SubjectDeps,
  before: SubjectDocument | undefined,
  request: ScreeningRequest,
  { index, hits }: { readonly index: ScreeningIndex; readonly hits: readonly ScreeningHit[] },
) {
  const { subject, parties, wallets, banks } = request;
  const isFirst = before === undefined;
  const found = { request: { parties, wallets, banks }, hits, isFirst };
  const decisions = await deps.alerts.decisionsOf(subject, found);
  const finding = decidedFinding({ hits }, decisions);
  const standing = decisions.standing.map(namedEntry);
  return {
    request,
    index,
    finding,
    found: foundOf(finding, standing, index.configurationVersion),
    entries: [...new Set([...finding.hits.map(namedEntry), ...standing])],
  };
}

function namedEntry(hit: Pick<ScreeningHit, "list" | "entryUid">): string {
  return entryName(hit.list, hit.entryUid);
}

/**
 * Computes a subject's verdict without some hits, with current lists and decisions. Returns the
 * removed hits that count for the verdict. Changes nothing.
 */
export async function verdictWithout(
  deps: SubjectDeps,
  document: SubjectDocument,
  isLeftOut: (hit: ScreeningHit) => boolean,
): Promise<{ from: Verdict; to: Verdict; leftOut: readonly ScreeningHit[] }> {
  const request = openRequest(document, deps.sealer);
  const index = await indexSince(deps, document);
  const hits = await hitsOf(index, document, request);
  const others = hits.filter((hit) => !isLeftOut(hit));
  const all = await decidedComparison(deps, document, request, { index, hits });
  const left = await decidedComparison(deps, document, request, { index, hits: others });
  const leftOut = all.finding.hits.filter((hit) => !hit.dismissed && isLeftOut(hit));
  return { from: all.finding.verdict, to: left.finding.verdict, leftOut };
}

/** True if a subject was compared with a newer configuration than this process has. */
export function isAhead(subject: Compared, index: ScreeningIndex): boolean {
  return subject.configuration_revision > index.configurationRevision;
}

/**
 * Returns the index in force. If the subject was compared with a different index, another process
 * may have read newer lists, so this process reads the lists too. If the subject was compared with
 * a newer configuration, throws `INDEX_UNAVAILABLE`. A process with that configuration then handles
 * the request.
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

async function comparedAs({ hashes, sealer }: SubjectDeps, { request, index }: Comparison) {
  return {
    ...comparedWith(index, hashes),
    keys: await hashes.ofRequest(request),
    sealed: sealRequest(request, sealer),
  };
}

/** Brings a result into force. Returns `undefined` if another write came first. */
async function commit(
  deps: SubjectDeps,
  before: SubjectDocument | undefined,
  comparison: Comparison,
  {
    trigger,
    actor,
    operationId,
  }: { trigger: ScreeningTrigger } & Pick<Change, "actor"> & Partial<Change>,
): Promise<StoredScreening | undefined> {
  const { request, index, finding, found, entries } = comparison;
  const { subject } = request;
  const at = laterThan(before?.screened_at, deps.clock.now());
  const screening: Screening = {
    ...finding,
    id: newId("screening", at),
    kind: "party",
    trigger,
    subject,
    lists: index.lists,
    configurationVersion: index.configurationVersion,
    createdAt: at,
  };
  // A rescreening has no request, so it gets its own operation id.
  const stored = { screening, request: JSON.stringify(request) };
  const recorded = { ...stored, actor, operationId: operationId ?? screening.id };
  const recording = screeningDocument(recorded, deps.sealer);
  const result = {
    ...subjectFields(subject),
    ...(await comparedAs(deps, comparison)),
    revision: (before?.revision ?? 0) + 1,
    verdict: screening.verdict,
    screening_id: screening.id,
    screened_at: at,
    compared_at: at,
    found,
    entries,
  };
  const isQuiet = before === undefined && screening.hits.length === 0;
  if (isQuiet && (await deps.store.keepOpening(recording))) {
    // Inserting the subject completes a clear first screening, because there are no alerts and no
    // event. Most first screenings end here.
    if (!(await deps.subjects.open({ ...result, opened_by: screening.id }))) return undefined;
    deps.compared(trigger, "changed");
    deps.screened(screening);
    return stored;
  }
  const next: SubjectState = { ...result, recording };
  const isNews = trigger !== "request" && before?.verdict !== screening.verdict;
  const event = isNews ? screeningChanged(screening) : undefined;
  if (!(await deps.subjects.put(before, next, event))) return undefined;
  deps.compared(trigger, "changed");
  deps.screened(screening);
  if (event !== undefined) deps.eventPending();
  await deps.store.keep(next.recording);
  // The result is in force already. If raising the alerts fails, a sweep does it later.
  await raiseAlerts(deps, next).catch((error: unknown) => {
    deps.log.error(
      { err: error, screening_id: screening.id },
      "raising the alerts of a screening failed; it will be retried",
    );
  });
  return stored;
}

function laterThan(before: Date | undefined, now: Date): Date {
  return before === undefined || before < now ? now : new Date(before.getTime() + 1);
}
