import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AuditEntry } from "@disburse/chassis/audit/trail.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import {
  AlertFileSchema,
  AlertSchema,
  AlertState,
  ReviewEntrySchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { Actor_Kind, ActorSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import type { StoredFile } from "@disburse/files/store.ts";
import { hitShape } from "../screening/wire.ts";
import { auditContext } from "./review.ts";
import {
  type Alert,
  type AlertAction,
  type DueHours,
  dispositionOf,
  dueAt,
} from "./rules/alert.ts";

/** Converts an alert to its message. A closed alert shows its previous disposition. */
export function alertMessage(alert: Alert, dueHours: DueHours) {
  const { id, subject, detection, state, assignee } = alert;
  const decided = state.kind === "closed" ? state.before : state;
  const due = dueAt(alert, dueHours);
  const dismissed = dispositionOf(decided) === "false_positive";
  return create(AlertSchema, {
    id,
    subject,
    assignee,
    state: enumValue(AlertState, state.kind),
    screeningId: detection.screeningId,
    hit: { ...hitShape(detection.hit), alertId: id, dismissed },
    ...(decided.kind !== "open" && {
      reason: decided.reason,
      decidedBy: operator(decided.by.person),
    }),
    ...(decided.kind === "true_match" && { confirmedBy: operator(decided.confirmed) }),
    partyName: detection.party,
    createdAt: timestampFromDate(alert.createdAt),
    updatedAt: timestampFromDate(alert.updatedAt),
    waitingSince: timestampFromDate(alert.waitingSince),
    ...(due && { dueAt: timestampFromDate(due) }),
  });
}

export function reviewEntryMessage(entry: AuditEntry<AlertAction>, sealer: Sealer) {
  const { sequence, at, person, action, subject: alertId, detail, previousHash, hash } = entry;
  // An entry that records a call contains only the subject's id, so its detail is not encrypted.
  const isSealed = entry.call === undefined;
  return create(ReviewEntrySchema, {
    sequence: BigInt(sequence),
    createdAt: timestampFromDate(at),
    actor: operator(person),
    action,
    alertId,
    previousHash,
    hash,
    detail: isSealed ? sealer.open(detail, auditContext(alertId)) : detail,
  });
}

export function operator(person: string) {
  return create(ActorSchema, { kind: Actor_Kind.OPERATOR, id: person });
}

export function fileMessage(file: StoredFile) {
  const { addedBy, createdAt, owner: _owner, ...shown } = file;
  return create(AlertFileSchema, {
    ...shown,
    addedBy: operator(addedBy),
    createdAt: timestampFromDate(createdAt),
  });
}

/**
 * Describes an alert for an approver. The party's name is omitted; the approver can read it in the
 * alert.
 */
export function describeAlert({ state, detection }: Alert): string {
  const { list, entryUid, score } = detection.hit;
  return JSON.stringify({ state: state.kind, hit: { list, entryUid, score } });
}
