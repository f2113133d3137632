import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AuditEntry } from "@disburse/chassis/audit/trail.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import {
  AlertSchema,
  AlertState as AlertStateCode,
  Decision as DecisionCode,
  ReviewEntrySchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import { Actor_Kind, ActorSchema } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { hitShape } from "../screening/wire.ts";
import { auditContext } from "./review.ts";
import {
  type Alert,
  type AlertAction,
  type AlertStateKind,
  type Decision,
  wordOf,
} from "./rules/alert.ts";

const stateCodes: Readonly<Record<AlertStateKind, AlertStateCode>> = {
  open: AlertStateCode.OPEN,
  escalated: AlertStateCode.ESCALATED,
  proposed: AlertStateCode.PROPOSED,
  false_positive: AlertStateCode.FALSE_POSITIVE,
  true_match: AlertStateCode.TRUE_MATCH,
  closed: AlertStateCode.CLOSED,
};

const stateKinds = new Map(
  Object.entries(stateCodes).map(([kind, code]) => [code, kind as AlertStateKind]),
);

/** The state that a filter names; `undefined`: none of ours. */
export function stateOf(code: AlertStateCode): AlertStateKind | undefined {
  return stateKinds.get(code);
}

const decisions: Readonly<Record<DecisionCode, Decision | undefined>> = {
  [DecisionCode.UNSPECIFIED]: undefined,
  [DecisionCode.FALSE_POSITIVE]: "false_positive",
  [DecisionCode.TRUE_MATCH]: "true_match",
  [DecisionCode.ESCALATED]: "escalated",
};

/** What was decided; `undefined`: none of ours. */
export function decisionOf(code: DecisionCode): Decision | undefined {
  return decisions[code];
}

/** An alert as the contract writes it; a closed one with what was said of it before. */
export function alertMessage(alert: Alert) {
  const { id, subject, sighting, state, assignee } = alert;
  const said = state.kind === "closed" ? state.before : state;
  const dismissed = wordOf(said) === "false_positive";
  return create(AlertSchema, {
    ...{ id, subject, assignee },
    state: stateCodes[state.kind],
    screeningId: sighting.screeningId,
    hit: { ...hitShape(sighting.hit), alertId: id, dismissed },
    ...(said.kind !== "open" && { reason: said.reason, decidedBy: operator(said.by.person) }),
    ...(said.kind === "true_match" && { confirmedBy: operator(said.confirmed.person) }),
    createdAt: timestampFromDate(alert.createdAt),
    updatedAt: timestampFromDate(alert.updatedAt),
  });
}

/** An entry of the audit trail as the contract writes it. */
export function reviewEntryMessage(entry: AuditEntry<AlertAction>, sealer: Sealer) {
  const { sequence, at, person, action, subject: alertId, detail, previousHash, hash } = entry;
  return create(ReviewEntrySchema, {
    sequence: BigInt(sequence),
    createdAt: timestampFromDate(at),
    actor: operator(person),
    ...{ action, alertId, previousHash, hash },
    detail: sealer.open(detail, auditContext(alertId)),
  });
}

function operator(person: string) {
  return create(ActorSchema, { kind: Actor_Kind.OPERATOR, id: person });
}
