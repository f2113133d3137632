import { type AuditRecord, auditKeyOf } from "@disburse/chassis/audit/trail.ts";
import {
  resealTexts,
  type SealedPlace,
  type SealedText,
} from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { ScreeningHit } from "../screening/rules/hit.ts";
import type { Alert, AlertAction, AlertState, ReviewedBy } from "./rules/alert.ts";

/** An operator's action on an alert under an operation: a repeat gets its result. */
export type ReviewAction = {
  readonly by: ReviewedBy;
  readonly action: AlertAction;
  /** What was given with the request: a repeat gives the same. */
  readonly given: string;
  /** What came of it. */
  readonly assignee: string;
  readonly state: AlertState;
};

/** An alert with what has to follow from its last changes. */
export type StoredAlert = {
  readonly alert: Alert;
  /** One more with each write: a change is written where it is the one that was read. */
  readonly version: number;
  readonly actions: readonly ReviewAction[];
  /** What the audit trail does not have yet. */
  readonly owed: readonly AuditRecord<AlertAction>[];
  /** The version whose decision the subject's verdict does not follow yet. */
  readonly verdictDue: number | undefined;
};

/**
 * `alerts`: kept forever. Reasons and hits name persons and are sealed; in the clear are ids, what
 * the lists publish, who of the staff did what, and when.
 */
export type AlertDocument = ReturnType<typeof alertDocument> & {
  /** Absent before the first; what was given and each reason sealed. */
  readonly deeds?: readonly ReviewActionDocument[];
  /** Absent before the first; details sealed. */
  readonly owed?: readonly OwedDocument[];
  readonly verdict_due?: number;
};
type ReviewActionDocument = ReturnType<typeof reviewActionDocument>;
type OwedDocument = ReturnType<typeof owedDocument>;

const schemaVersion = 1;

type Seal = (plain: string) => string;

const sealContext = (merchantId: string, id: string) => `${merchantId}|${id}|alert`;

function sealing(sealer: Sealer, merchantId: string, id: string): { seal: Seal; open: Seal } {
  const context = sealContext(merchantId, id);
  return {
    seal: (plain) => sealer.seal(plain, context),
    open: (sealed) => sealer.open(sealed, context),
  };
}

/** A state with its reasons changed: sealed, or opened. */
function withReasons(state: AlertState, change: Seal): AlertState {
  switch (state.kind) {
    case "open":
      return state;
    case "closed":
      return { ...state, before: withReasons(state.before, change) as typeof state.before };
    default:
      return { ...state, reason: change(state.reason) };
  }
}

/** Where alerts are sealed. What they owe to the audit trail is there soon, and stays as it is. */
export const sealedAlerts: SealedPlace = {
  collection: "alerts",
  reseal: (document, sealer) => {
    const { _id, merchant_id, hit, standing, deeds = [] } = document as unknown as AlertDocument;
    const context = sealContext(merchant_id, _id);
    const ofDeeds = deeds.flatMap(({ given, state }, at) => [
      { path: `deeds.${at}.given`, text: given, context },
      ...reasonsOf(state, `deeds.${at}.state`, context),
    ]);
    const own = { path: "hit", text: hit, context };
    return resealTexts([own, ...reasonsOf(standing, "standing", context), ...ofDeeds], sealer);
  },
};

/** The reasons that `withReasons` changes. */
function reasonsOf(state: AlertState, path: string, context: string): SealedText[] {
  switch (state.kind) {
    case "open":
      return [];
    case "closed":
      return reasonsOf(state.before, `${path}.before`, context);
    default:
      return [{ path: `${path}.reason`, text: state.reason, context }];
  }
}

/** The fields that change with an alert. */
export function changingFields(alert: Alert, sealer: Sealer) {
  const { seal } = sealing(sealer, alert.subject.merchantId, alert.id);
  const { screeningId, revision, hit } = alert.detection;
  return {
    screening_id: screeningId,
    revision,
    /** Sealed JSON of the hit. */
    hit: seal(JSON.stringify(hit)),
    assignee: alert.assignee,
    state: alert.state.kind,
    /** With sealed reasons. */
    standing: withReasons(alert.state, seal),
    waiting_since: alert.waitingSince,
    updated_at: alert.updatedAt,
  };
}

/** The document of a new alert. */
export function alertDocument(alert: Alert, sealer: Sealer) {
  const { hit } = alert.detection;
  return {
    _id: alert.id,
    schema_version: schemaVersion,
    version: 1,
    merchant_id: alert.subject.merchantId,
    record_id: alert.subject.recordId,
    party_key: alert.partyKey,
    list: hit.list,
    entry_uid: hit.entryUid,
    entry_fingerprint: hit.entryFingerprint,
    created_at: alert.createdAt,
    ...changingFields(alert, sealer),
  };
}

/** An operator's action as it is stored with its alert. */
export function reviewActionDocument(
  { subject, id }: Alert,
  reviewAction: ReviewAction,
  sealer: Sealer,
) {
  const { seal } = sealing(sealer, subject.merchantId, id);
  return {
    ...reviewAction,
    operation: reviewAction.by.operation,
    given: seal(reviewAction.given),
    state: withReasons(reviewAction.state, seal),
  };
}

/** A record that the audit trail does not have yet. */
export function owedDocument(record: AuditRecord<AlertAction>) {
  return { ...record, key: auditKeyOf(record) };
}

/** The alert of a document, opened. */
export function openAlert(document: AlertDocument, sealer: Sealer): StoredAlert {
  const { open } = sealing(sealer, document.merchant_id, document._id);
  const { deeds = [], owed = [] } = document;
  const alert: Alert = {
    id: document._id,
    subject: { merchantId: document.merchant_id, recordId: document.record_id },
    partyKey: document.party_key,
    detection: {
      screeningId: document.screening_id,
      revision: document.revision,
      hit: JSON.parse(open(document.hit)) as ScreeningHit,
    },
    assignee: document.assignee,
    state: withReasons(document.standing, open),
    waitingSince: document.waiting_since,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
  return {
    alert,
    version: document.version,
    actions: deeds.map(({ operation: _operation, ...reviewAction }) => ({
      ...reviewAction,
      given: open(reviewAction.given),
      state: withReasons(reviewAction.state, open),
    })),
    owed: owed.map(({ key: _key, ...record }) => record),
    verdictDue: document.verdict_due,
  };
}
