import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { AuditEntry } from "@disburse/chassis/audit/trail.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { readLimit, readStart, writeCursor } from "@disburse/chassis/paging/cursor.ts";
import { cutPageBy } from "@disburse/chassis/paging/record-page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  AlertSchema,
  AlertState as AlertStateCode,
  type ComplianceReviewService,
  Decision as DecisionCode,
  ReviewEntrySchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import {
  Actor_Kind,
  ActorSchema,
  type Mutation,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import { orThrow } from "../refusals.ts";
import type { ScreeningStore } from "../screening/store.ts";
import { askedScreeningMessage, hitShape } from "../screening/wire.ts";
import {
  assignAlert,
  auditContext,
  confirmTrueMatch,
  decideAlert,
  type ReviewDeps,
  reopenAlert,
} from "./review.ts";
import {
  type Alert,
  type AlertAction,
  type AlertStateKind,
  type Decision,
  waitingKinds,
  wordOf,
} from "./rules/alert.ts";

export type ReviewRpcDeps = ReviewDeps & {
  readonly screenings: Pick<ScreeningStore, "get">;
};

/** More was never done with one alert; of more the newest are shown. */
const entriesMax = 1_000;

/** The RPCs of compliance officers. */
export function reviewRpc(deps: ReviewRpcDeps): ServiceImpl<typeof ComplianceReviewService> {
  const { alerts, audit, sealer } = deps;
  return {
    listAlerts: async ({ states, assignee, merchantId, recordId, limit: asked, cursor }) => {
      const limit = orThrow(readLimit(asked));
      const after = orThrow(readStart(cursor));
      const filter = { states: orThrow(readStates(states)), assignee, merchantId, recordId };
      const found = await alerts.list(filter, after, limit + 1);
      const { shown, nextCursor } = cutPageBy(found, limit, waitingCursor);
      return { alerts: shown.map(alertMessage), nextCursor };
    },

    getAlert: async ({ alertId }) => {
      const { alert } = orThrow((await alerts.read(alertId)) ?? refused("RECORD_NOT_FOUND"));
      const [screening, entries] = await Promise.all([
        deps.screenings.get(alert.sighting.screeningId),
        audit.list(alertId, undefined, entriesMax),
      ]);
      return {
        alert: alertMessage(alert),
        ...(screening && { screening: askedScreeningMessage(screening) }),
        entries: entries.toReversed().map((entry) => reviewEntryMessage(entry, sealer)),
      };
    },

    assignAlert: async ({ mutation, alertId, assignee }) => {
      const by = readOfficer(mutation);
      const person = orThrow(readAssignee(assignee));
      const assigned = await assignAlert(deps, alertId, person, by);
      return { alert: alertMessage(orThrow(assigned)) };
    },

    decideAlert: async ({ mutation, alertId, ...message }) => {
      const by = readOfficer(mutation);
      const decision = orThrow(readDecision(message.decision));
      const reason = orThrow(readReason(message.reason));
      const decided = await decideAlert(deps, alertId, { decision, reason }, by);
      return { alert: alertMessage(orThrow(decided)) };
    },

    confirmTrueMatch: async ({ mutation, alertId }) => {
      const confirmed = await confirmTrueMatch(deps, alertId, readOfficer(mutation));
      return { alert: alertMessage(orThrow(confirmed)) };
    },

    reopenAlert: async ({ mutation, alertId, reason: text }) => {
      const by = readOfficer(mutation);
      const reopened = await reopenAlert(deps, alertId, orThrow(readReason(text)), by);
      return { alert: alertMessage(orThrow(reopened)) };
    },

    listReviewEntries: async ({ alertId, limit: asked, cursor }) => {
      const limit = orThrow(readLimit(asked));
      const before = orThrow(readBefore(cursor));
      const subject = alertId === "" ? undefined : alertId;
      const found = await audit.list(subject, before, limit + 1);
      const { shown, nextCursor } = cutPageBy(found, limit, ({ sequence }) => String(sequence));
      return { entries: shown.map((entry) => reviewEntryMessage(entry, sealer)), nextCursor };
    },
  };
}

function waitingCursor({ waitingSince, id }: Alert): string {
  return writeCursor({ at: waitingSince, id });
}

const notAnOfficer = refused("ACCESS_FORBIDDEN", "mutation.actor: must be an operator");

/** The person and the operation of a change that only the operator's staff may make. */
function readOfficer(mutation: Mutation | undefined) {
  const { actor, operationId } = readMutation(mutation);
  if (actor.kind !== "operator") orThrow(notAnOfficer);
  return { person: actor.id, operation: operationId };
}

type Invalid = Refused<"INVALID_REQUEST">;

/** A reason says what was compared, and with what. */
const [reasonMin, reasonMax] = [10, 1_000];

export function readReason(text: string): string | Invalid {
  const reason = cleanText(text);
  const isSized = reason.length >= reasonMin && reason.length <= reasonMax;
  if (isSized && textProblem(reason) === undefined) return reason;
  const length = `${reasonMin} to ${reasonMax}`;
  return refused("INVALID_REQUEST", `reason: must be ${length} plain characters`);
}

const personText = /^[\x21-\x7e]{0,128}$/;

export function readAssignee(text: string): string | Invalid {
  if (personText.test(text)) return text;
  return refused("INVALID_REQUEST", "assignee: must be at most 128 printable characters");
}

export function readDecision(code: DecisionCode): Decision | Invalid {
  return decisionOf(code) ?? refused("INVALID_REQUEST", "decision: is required");
}

/** The states of a filter; what waits for a person where none is named. */
export function readStates(codes: readonly AlertStateCode[]): readonly AlertStateKind[] | Invalid {
  if (codes.length === 0) return waitingKinds;
  const kinds = new Set(codes.map(stateOf));
  const known = [...kinds].filter((kind) => kind !== undefined);
  return known.length === kinds.size
    ? known
    : refused("INVALID_REQUEST", "states: must be states of alerts");
}

/** Before which entry of the audit trail a page starts; `undefined` for the newest. */
export function readBefore(cursor: string): number | undefined | Invalid {
  if (cursor === "") return undefined;
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  return refused("INVALID_REQUEST", "cursor: must be one that a list gave");
}

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
