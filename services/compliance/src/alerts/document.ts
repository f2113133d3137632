import { type AuditRecord, auditKeyOf } from "@disburse/chassis/audit/trail.ts";
import {
  resealTexts,
  type SealedPlace,
  type SealedText,
} from "@disburse/chassis/crypto/resealing.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Alert, AlertAction, AlertState, Detection, ReviewedBy } from "./rules/alert.ts";

/** An operator's action on an alert. A repeat of its operation returns the stored result. */
export type ReviewAction = {
  readonly by: ReviewedBy;
  readonly action: AlertAction;
  /** The values of the request. A repeat must contain the same values. */
  readonly given: string;
  /** The alert's assignee and state after the action. */
  readonly assignee: string;
  readonly state: AlertState;
};

/** An alert, with the unfinished steps of its latest changes. */
export type StoredAlert = {
  readonly alert: Alert;
  /** Increases with each write. A write fails if the stored version has changed since the read. */
  readonly version: number;
  readonly actions: readonly ReviewAction[];
  /** Audit records that are not yet written to the audit trail. */
  readonly pendingAudit: readonly AuditRecord<AlertAction>[];
  /** The alert's version whose decision is not yet part of the subject's verdict. */
  readonly verdictDue: number | undefined;
};

/**
 * The collection `alerts`, kept forever. Reasons, comments and hits are encrypted, because they name
 * persons. Ids, public list data, scores, operators, actions and times are not encrypted.
 */
export type AlertDocument = ReturnType<typeof alertDocument> & {
  /** Absent before the first action. The given values and each reason are encrypted. */
  readonly actions?: readonly ReviewActionDocument[];
  /** Absent before the first record. Details are encrypted. */
  readonly pending_audit?: readonly PendingAuditDocument[];
  readonly verdict_due?: number;
};
type ReviewActionDocument = ReturnType<typeof reviewActionDocument>;
type PendingAuditDocument = ReturnType<typeof pendingAuditDocument>;

const schemaVersion = 1;

type Found = Pick<Detection, "hit" | "party">;

type Seal = (plain: string) => string;

const sealContext = (merchantId: string, id: string) => `${merchantId}|${id}|alert`;

function sealing(sealer: Sealer, merchantId: string, id: string): { seal: Seal; open: Seal } {
  const context = sealContext(merchantId, id);
  return {
    seal: (plain) => sealer.seal(plain, context),
    open: (sealed) => sealer.open(sealed, context),
  };
}

/** Encrypts or decrypts the reasons of a state. */
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

/**
 * A change of keys does not encrypt pending audit records again, because they soon move to the
 * audit trail.
 */
export const sealedAlerts: SealedPlace = {
  collection: "alerts",
  reseal: (document, sealer) => {
    const {
      _id,
      merchant_id,
      found,
      standing,
      actions = [],
    } = document as unknown as AlertDocument;
    const context = sealContext(merchant_id, _id);
    const ofActions = actions.flatMap(({ given, state }, at) => [
      { path: `actions.${at}.given`, text: given, context },
      ...reasonsOf(state, `actions.${at}.state`, context),
    ]);
    const own = { path: "found", text: found, context };
    return resealTexts([own, ...reasonsOf(standing, "standing", context), ...ofActions], sealer);
  },
};

/** Returns the reasons that `withReasons` changes. */
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

export function changingFields(alert: Alert, sealer: Sealer) {
  const { seal } = sealing(sealer, alert.subject.merchantId, alert.id);
  const { screeningId, revision, hit, party } = alert.detection;
  return {
    screening_id: screeningId,
    revision,
    /** The hit and the party's name. */
    found: seal(JSON.stringify({ hit, party } satisfies Found)),
    score: hit.score,
    assignee: alert.assignee,
    files: alert.files,
    comments: alert.comments,
    state: alert.state.kind,
    /** The state with its reasons encrypted. */
    standing: withReasons(alert.state, seal),
    waiting_since: alert.waitingSince,
    updated_at: alert.updatedAt,
  };
}

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

/** Builds the stored form of an audit record that is not yet written to the audit trail. */
export function pendingAuditDocument(record: AuditRecord<AlertAction>) {
  return { ...record, key: auditKeyOf(record) };
}

export function openAlert(document: AlertDocument, sealer: Sealer): StoredAlert {
  const { open } = sealing(sealer, document.merchant_id, document._id);
  const { actions = [], pending_audit: pendingAudit = [] } = document;
  const alert: Alert = {
    id: document._id,
    subject: { merchantId: document.merchant_id, recordId: document.record_id },
    partyKey: document.party_key,
    detection: {
      screeningId: document.screening_id,
      revision: document.revision,
      ...(JSON.parse(open(document.found)) as Found),
    },
    assignee: document.assignee,
    files: document.files,
    comments: document.comments,
    state: withReasons(document.standing, open),
    waitingSince: document.waiting_since,
    createdAt: document.created_at,
    updatedAt: document.updated_at,
  };
  return {
    alert,
    version: document.version,
    actions: actions.map(({ operation: _operation, ...reviewAction }) => ({
      ...reviewAction,
      given: open(reviewAction.given),
      state: withReasons(reviewAction.state, open),
    })),
    pendingAudit: pendingAudit.map(({ key: _key, ...record }) => record),
    verdictDue: document.verdict_due,
  };
}
