import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import type { AuditEntry } from "@disburse/chassis/audit/trail.ts";
import { callContext } from "@disburse/chassis/call-context.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import { enumName, enumValue } from "@disburse/chassis/enum-names.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { cutPage, readLimit, readPage } from "@disburse/chassis/paging/page.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import {
  AlertSchema,
  AlertState,
  type ComplianceReviewService,
  Decision,
  ReviewEntrySchema,
} from "@disburse/contracts/disburse/compliance/v1/compliance_review_pb.ts";
import {
  Actor_Kind,
  ActorSchema,
  type Mutation,
} from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { readReason } from "@disburse/kernel/reason.ts";
import { invalidCursor, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import type { ScreeningStore } from "../screening/store.ts";
import { fullScreeningMessage, hitShape } from "../screening/wire.ts";
import { alertActivityRpc } from "./activity.ts";
import { auditContext, changeAlert, type Intent, type ReviewDeps, sweepReviews } from "./review.ts";
import {
  type Alert,
  type AlertAction,
  type AlertStateKind,
  assignedTo,
  decidedBy,
  dispositionOf,
  pendingKinds,
  type ReviewedBy,
  reopenedBy,
} from "./rules/alert.ts";

/** The interval of the sweep that completes decisions after a crash. */
const sweepEveryMs = 2_000;
/**
 * The interval of the counts for metrics. With many thousand alerts a count takes some 50 ms, and
 * metrics are scraped no more often.
 */
const gaugesEveryMs = 10_000;

export type ReviewOptions = Omit<ReviewRpcDeps, "audit" | "reviewed"> & {
  readonly database: Pick<Database, "db">;
  readonly metrics: Metrics;
};

/** Opens the audit trail, and starts the sweep that completes decisions after a crash. */
export async function startReview(options: ReviewOptions) {
  const { database, alerts, metrics, clock, log } = options;
  const done = metrics.counter(
    "disburse_alert_actions_total",
    "Actions of operators on alerts, by action.",
    ["action"],
  );
  const deps: ReviewRpcDeps = {
    ...options,
    audit: openAuditStore<AlertAction>(database),
    reviewed: (action) => done.inc({ action }),
  };
  const waiting = metrics.gauge("disburse_alerts_waiting", "Pending alerts, by state.", ["state"]);
  const oldest = metrics.gauge(
    "disburse_alerts_waiting_oldest_seconds",
    "Waiting time of the oldest pending alert.",
    ["state"],
  );
  const sweep = startLoop({
    name: "reviews",
    everyMs: sweepEveryMs,
    run: () => sweepReviews(deps).then(() => false),
    log,
  });
  const gauges = startLoop({
    name: "alerts",
    everyMs: gaugesEveryMs,
    run: async () => {
      const counts = await alerts.countPending();
      for (const state of pendingKinds) {
        const found = counts.find((each) => each.state === state);
        waiting.set({ state }, found?.count ?? 0);
        const since = found?.oldest ?? clock.now();
        oldest.set({ state }, Math.max(0, (clock.now().getTime() - since.getTime()) / 1_000));
      }
      return false;
    },
    log,
  });
  const stop = async () => void (await Promise.all([sweep.stop(), gauges.stop()]));
  return { rpc: reviewRpc(deps), stop };
}

export type ReviewRpcDeps = ReviewDeps & {
  readonly screenings: Pick<ScreeningStore, "get">;
};

/**
 * The maximum entries to return, more than any alert has. Beyond this number, only the newest are
 * returned.
 */
const entriesMax = 1_000;

export function reviewRpc(deps: ReviewRpcDeps): ServiceImpl<typeof ComplianceReviewService> {
  const { alerts, audit, sealer } = deps;
  const change = async (mutation: Mutation | undefined, intent: Intent) => {
    const changed = await changeAlert(deps, intent, readOfficer(mutation));
    return { alert: alertMessage(orThrow(changed)) };
  };
  return {
    ...alertActivityRpc(deps),
    listAlerts: async ({ states, assignee, merchantId, recordId, ...page }) => {
      const filter = { states: orThrow(readStates(states)), assignee, merchantId, recordId };
      const { shown, nextCursor } = await readPage(
        page,
        ({ after, limit }) => alerts.list(filter, after, limit),
        ({ waitingSince: at, id }) => ({ at, id }),
      );
      return { alerts: shown.map(alertMessage), nextCursor };
    },

    getAlert: async ({ alertId }) => {
      const { alert } = orThrow((await alerts.read(alertId)) ?? refused("RECORD_NOT_FOUND"));
      const [screening, entries] = await Promise.all([
        deps.screenings.get(alert.detection.screeningId),
        audit.decisionsOf(alertId, undefined, entriesMax),
      ]);
      return {
        alert: alertMessage(alert),
        ...(screening && { screening: fullScreeningMessage(screening) }),
        entries: entries.toReversed().map((entry) => reviewEntryMessage(entry, sealer)),
      };
    },

    assignAlert: async ({ mutation, alertId: id, assignee }) => {
      const given = orThrow(readAssignee(assignee));
      const rule = (alert: Alert, act: ReviewedBy) => assignedTo(alert, given, act);
      return change(mutation, { id, action: "alert.assigned", given, rule });
    },

    decideAlert: async ({ mutation, alertId: id, decision: value, reason }) => {
      const known =
        enumName(Decision, value) ?? refused("INVALID_REQUEST", "decision: is required");
      const [decision, given] = [orThrow(known), orThrow(readReason(reason))];
      const action = `alert.${decision}` as const;
      const second = callContext()?.approvedBy;
      const rule = (alert: Alert, act: ReviewedBy) =>
        decidedBy(alert, decision, given, act, second);
      return change(mutation, { id, action, given, rule });
    },

    reopenAlert: async ({ mutation, alertId: id, reason }) => {
      const given = orThrow(readReason(reason));
      const isApproved = callContext()?.approvedBy !== undefined;
      const rule = (alert: Alert, act: ReviewedBy) => reopenedBy(alert, given, act, isApproved);
      return change(mutation, { id, action: "alert.reopened", given, rule });
    },

    listReviewEntries: async ({ alertId, limit: pageLimit, cursor }) => {
      const limit = orThrow(readLimit(pageLimit));
      const before = orThrow(readBefore(cursor));
      const found = await (alertId === ""
        ? audit.list(undefined, before, limit + 1)
        : audit.decisionsOf(alertId, before, limit + 1));
      const { shown, nextCursor } = cutPage(found, limit, ({ sequence }) => String(sequence));
      return { entries: shown.map((entry) => reviewEntryMessage(entry, sealer)), nextCursor };
    },
  };
}

const notAnOfficer = refused("ACCESS_FORBIDDEN", "caller: must be an operator");

/** Reads the person and the operation id of a change. Refuses a caller that is not an operator. */
function readOfficer(mutation: Mutation | undefined) {
  const { actor, operationId } = readMutation(mutation);
  if (actor.kind !== "operator") orThrow(notAnOfficer);
  return { person: actor.id, operation: operationId };
}

type Invalid = Refused<"INVALID_REQUEST">;

const personText = /^[\x21-\x7e]{0,128}$/;

function readAssignee(text: string): string | Invalid {
  if (personText.test(text)) return text;
  return refused("INVALID_REQUEST", "assignee: must be at most 128 printable characters");
}

/** Reads the filter by state. The default is the pending states. */
function readStates(values: readonly AlertState[]): readonly AlertStateKind[] | Invalid {
  if (values.length === 0) return pendingKinds;
  const kinds = values
    .map((value) => enumName(AlertState, value))
    .filter((kind) => kind !== undefined);
  if (kinds.length === values.length) return [...new Set(kinds)];
  return refused("INVALID_REQUEST", "states: must be known alert states");
}

/**
 * Returns the audit entry before which a page ends. `undefined` means that the page starts with the
 * newest entry.
 */
function readBefore(cursor: string): number | undefined | Invalid {
  if (cursor === "") return undefined;
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  return invalidCursor;
}

/** Converts an alert to its message. A closed alert shows its previous disposition. */
function alertMessage(alert: Alert) {
  const { id, subject, detection, state, assignee } = alert;
  const decided = state.kind === "closed" ? state.before : state;
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
    createdAt: timestampFromDate(alert.createdAt),
    updatedAt: timestampFromDate(alert.updatedAt),
  });
}

function reviewEntryMessage(entry: AuditEntry<AlertAction>, sealer: Sealer) {
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

function operator(person: string) {
  return create(ActorSchema, { kind: Actor_Kind.OPERATOR, id: person });
}
