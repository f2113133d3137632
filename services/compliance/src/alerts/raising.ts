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

/** What was found of a subject, to be compared with what people decided. */
export type Found = {
  readonly request: ScreeningQuery;
  /** All of them; see `decidableMax`. */
  readonly hits: readonly ScreeningHit[];
  /** Nothing was taken into force for the subject before, so that it has no alert. */
  readonly isFirst: boolean;
};

/** A screening of a subject that is in force: its revision grows with each. */
export type ScreeningInForce = {
  readonly subject: Subject;
  readonly revision: number;
  readonly request: ScreeningQuery;
  readonly screening: Screening;
};

/** What monitoring needs of alerts. */
export type SubjectAlerts = {
  /**
   * What people decided about these hits; `decidedFinding` applies it. To be read after the
   * subject's revision was read: a decision that comes later screens the subject again.
   */
  decisionsOf(subject: Subject, found: Found): Promise<Decisions>;
  /**
   * Brings a subject's alerts to what its screening in force found: opens, refreshes, closes. Safe
   * to repeat; what an older revision brings late is left out.
   */
  raise(raised: ScreeningInForce): Promise<void>;
};

/** All states of alerts whose hit was there when the subject was last screened. */
const presentKinds = [...pendingKinds, "false_positive", "true_match"] as const;

/** What monitoring uses of the alerts of a store. */
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
      // Only an earlier revision left alerts to close.
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

/** What a finding that does not list an alert's hit knows of it. */
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
    // An alert that closes anyway needs no look-up; a hit without an entry is never removed.
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

/** Writes what a rule makes of an alert; begins again when another write was faster. */
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

/** Keyed hashes under each key of the deployment: the first makes new ids, the others find. */
export type AlertKeys = readonly [KeyedHash, ...KeyedHash[]];

/**
 * The ids that the alert of a hit may have: it is one for subject, party or wallet, list, entry and
 * what is compared of both, so that a decision lapses by itself when one of them changes.
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

/** What a new alert names its party or wallet by. */
export function partyKey([first]: AlertKeys, request: ScreeningQuery, at: number): string {
  return keyText(first, screenedForm(request, at));
}

/** All names that alerts may have for the parties and wallets of a request. */
export function partyKeys(keys: AlertKeys, request: ScreeningQuery): ReadonlySet<string> {
  const forms = screenedForms(request);
  return new Set(keys.flatMap((key) => forms.map((form) => keyText(key, form))));
}

function keyText({ hash }: KeyedHash, form: string): string {
  return hash(form).toString("hex");
}
