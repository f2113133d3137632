import type { KeyedHash } from "@disburse/chassis/crypto/sealing.ts";
import { hashedId } from "@disburse/kernel/id.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { IsListed } from "../lists/changed-entries.ts";
import type { ImportRef } from "../lists/rules/version.ts";
import { type Decisions, isTruncated } from "../screening/rules/decided-finding.ts";
import { noList, type ScreeningHit } from "../screening/rules/hit.ts";
import type { Screening, ScreeningQuery, Subject } from "../screening/rules/screening.ts";
import type { StoredAlert } from "./document.ts";
import {
  type Absence,
  type Alert,
  type Detection,
  dispositionOf,
  isGone,
  missed,
  opened,
  pendingKinds,
  redetected,
} from "./rules/alert.ts";
import { screenedForm, screenedForms } from "./rules/screened-form.ts";
import type { AlertStore } from "./store.ts";

/** The hits of a subject, to compare with operators' decisions. */
export type Found = {
  readonly request: ScreeningQuery;
  /** Every hit, up to `decidableMax`. */
  readonly hits: readonly ScreeningHit[];
  /** True if the subject never had a screening in force, and so has no alerts. */
  readonly isFirst: boolean;
};

/** A subject's screening in force. Each one has a higher revision. */
export type ScreeningInForce = {
  readonly subject: Subject;
  readonly revision: number;
  readonly request: ScreeningQuery;
  readonly screening: Screening;
};

export type SubjectAlerts = {
  /**
   * Returns operators' decisions about these hits; `decidedFinding` applies them. Call it after
   * reading the subject's revision: a later decision screens the subject again.
   */
  decisionsOf(subject: Subject, found: Found): Promise<Decisions>;
  /**
   * Opens, refreshes and closes a subject's alerts to match its screening in force. It is safe to
   * repeat, and ignores older revisions.
   */
  raise(raised: ScreeningInForce): Promise<void>;
};

/** The states of alerts whose hit the subject's last screening found. */
const presentKinds = [...pendingKinds, "false_positive", "true_match"] as const;

export function subjectAlerts(deps: {
  readonly store: AlertStore;
  readonly keys: AlertKeys;
  readonly isListed: IsListed;
  readonly clock: Clock;
}): SubjectAlerts {
  const { store, keys, clock } = deps;
  return {
    decisionsOf: async (subject, found) => {
      const ids = found.hits.map((hit) => alertIds(keys, subject, found.request, hit));
      const [known, confirmed] = await Promise.all([
        ids.length === 0 || found.isFirst ? [] : store.readAll(ids.flat()),
        found.isFirst ? [] : store.ofSubject(subject, ["true_match"]),
      ]);
      const ofHits = ids.map((some) => decisionOf(some, known));
      const listed = new Set(ofHits.map(({ alertId }) => alertId));
      const others = confirmed.filter(({ alert }) => !listed.has(alert.id));
      return { ofHits, standing: others.map(({ alert }) => alert.detection.hit) };
    },

    raise: async ({ subject, revision, request, screening }) => {
      const { id: screeningId, hits, lists } = screening;
      const at = clock.now();
      const open = hits.map((hit) => {
        const { alertId: id, subjectIndex } = hit;
        const detection: Detection = { screeningId, revision, hit };
        const of = { id, subject, partyKey: partyKey(keys, request, subjectIndex) };
        const first = () => opened(of, detection, at);
        return settle(store, id, (alert) => redetected(alert, detection, at), first);
      });
      await Promise.all(open);
      // Only an earlier revision can have alerts to close.
      if (revision === 1) return;
      const listed = new Set(hits.map(({ alertId }) => alertId));
      const absent = absenceIn(deps, { request, hits, lists });
      const others = await store.ofSubject(subject, presentKinds);
      const close = others
        .filter(({ alert }) => !listed.has(alert.id))
        .map(async ({ alert: known }) => {
          const absence = await absent(known);
          await settle(store, known.id, (alert) => missed(alert, absence, revision, at));
        });
      await Promise.all(close);
    },
  };
}

/** Returns facts about the absence of an alert's hit from a finding. */
function absenceIn(
  { keys, isListed }: { readonly keys: AlertKeys; readonly isListed: IsListed },
  {
    request,
    hits,
    lists,
  }: Pick<Found, "request" | "hits"> & { readonly lists: readonly ImportRef[] },
) {
  const screened = partyKeys(keys, request);
  return async (alert: Alert): Promise<Absence> => {
    const absence = { isTruncated: isTruncated({ hits }), hasParty: screened.has(alert.partyKey) };
    const { hit } = alert.detection;
    // An alert that closes anyway needs no lookup; a hit without an entry is never removed.
    const isKnown = isGone(alert, { ...absence, isListed: true }) || hit.list === noList;
    return { ...absence, isListed: isKnown || (await isListed(lists, hit)) };
  };
}

function decisionOf(ids: readonly [string, ...string[]], known: readonly StoredAlert[]) {
  const found = known.find(({ alert }) => ids.includes(alert.id))?.alert;
  if (found === undefined) return { alertId: ids[0], disposition: "undecided" as const };
  const state = found.state.kind === "closed" ? found.state.before : found.state;
  return { alertId: found.id, disposition: dispositionOf(state) };
}

/** Applies a rule to an alert and writes the result. Starts again if another write was faster. */
async function settle(
  store: AlertStore,
  id: string,
  rule: (alert: Alert) => Alert | undefined,
  first?: () => Alert,
): Promise<void> {
  for (;;) {
    const found = await store.read(id);
    if (found === undefined) {
      if (first === undefined || (await store.insert(first()))) return;
      continue;
    }
    const next = rule(found.alert);
    if (next === undefined || (await store.change(found, next)) === "written") return;
  }
}

/**
 * One keyed hash for each key of the deployment: the first creates ids, the others find old ones.
 */
export type AlertKeys = readonly [KeyedHash, ...KeyedHash[]];

/**
 * Returns the possible ids of a hit's alert. An id covers subject, party or wallet, list, entry,
 * and the compared data of both. So a decision lapses when any of them changes.
 */
export function alertIds(
  [first, ...others]: AlertKeys,
  { merchantId, recordId }: Subject,
  request: ScreeningQuery,
  hit: ScreeningHit,
): [string, ...string[]] {
  const form = screenedForm(request, hit.subjectIndex);
  const { list, entryUid, entryFingerprint } = hit;
  const text = JSON.stringify([merchantId, recordId, form, list, entryUid, entryFingerprint]);
  const idUnder = (key: KeyedHash) => hashedId("alert", key.hash(text));
  return [idUnder(first), ...others.map(idUnder)];
}

/** The key of a new alert's party or wallet. */
export function partyKey([first]: AlertKeys, request: ScreeningQuery, at: number): string {
  return keyText(first, screenedForm(request, at));
}

/** Returns all keys that alerts may have for the parties and wallets of a request. */
export function partyKeys(keys: AlertKeys, request: ScreeningQuery): ReadonlySet<string> {
  const forms = screenedForms(request);
  return new Set(keys.flatMap((key) => forms.map((form) => keyText(key, form))));
}

function keyText({ hash }: KeyedHash, form: string): string {
  return hash(form).toString("hex");
}
