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
import { screenedForm, screenedForms, screenedName } from "./rules/screened-form.ts";
import type { AlertStore } from "./store.ts";

/** The hits of one subject. They are compared with operators' earlier decisions. */
export type Found = {
  readonly request: ScreeningQuery;
  /** Every hit, up to `decidableMax`. */
  readonly hits: readonly ScreeningHit[];
  /** True if the subject never had a screening in force. It then has no alerts. */
  readonly isFirst: boolean;
};

/** A screening that came into force for a subject. Each next one has a higher revision. */
export type ScreeningInForce = {
  readonly subject: Subject;
  readonly revision: number;
  readonly request: ScreeningQuery;
  readonly screening: Screening;
};

export type SubjectAlerts = {
  /**
   * Returns operators' decisions about these hits, for `decidedFinding`. Read the subject's
   * revision before you call it. A decision made after that read causes another screening.
   */
  decisionsOf(subject: Subject, found: Found): Promise<Decisions>;
  /**
   * Opens, updates and closes a subject's alerts to match its screening in force. A repeat changes
   * nothing. A lower revision than the latest is ignored.
   */
  raise(raised: ScreeningInForce): Promise<void>;
};

/** The states of alerts whose hit was present in the subject's latest screening. */
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
        const party = screenedName(request, subjectIndex);
        const detection: Detection = { screeningId, revision, hit, party };
        const of = { id, subject, partyKey: partyKey(keys, request, subjectIndex) };
        const first = () => opened(of, detection, at);
        return settle(store, id, (alert) => redetected(alert, detection, at), first);
      });
      await Promise.all(open);
      // A first screening has no earlier alerts to close.
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
    // Skips the lookup of the entry in two cases: the alert closes anyway, or the hit has no list
    // entry.
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

/**
 * Applies a rule to an alert and writes the result. Reads again and retries if another process
 * wrote first.
 */
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
 * One keyed hash for each key of the deployment. The first creates new ids. The others find ids
 * that were created with an older key.
 */
export type AlertKeys = readonly [KeyedHash, ...KeyedHash[]];

/**
 * Returns the possible ids of the alert for a hit. The id is a hash of the subject, the party or
 * wallet, the list, the entry, and the compared data of both. If any of these changes, the earlier
 * decision no longer applies.
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

/** Returns the `partyKey` of a new alert. */
export function partyKey([first]: AlertKeys, request: ScreeningQuery, at: number): string {
  return keyText(first, screenedForm(request, at));
}

/** Returns the `partyKey` values that alerts of one party may have, for every key. */
export function partyKeysAt(keys: AlertKeys, request: ScreeningQuery, at: number): string[] {
  const form = screenedForm(request, at);
  return keys.map((key) => keyText(key, form));
}

/**
 * Returns all `partyKey` values that alerts of this request may have, for every key of the
 * deployment.
 */
export function partyKeys(keys: AlertKeys, request: ScreeningQuery): ReadonlySet<string> {
  const forms = screenedForms(request);
  return new Set(keys.flatMap((key) => forms.map((form) => keyText(key, form))));
}

function keyText({ hash }: KeyedHash, form: string): string {
  return hash(form).toString("hex");
}
