import type { AuditStore } from "@disburse/chassis/audit/store.ts";
import type { AuditRecord } from "@disburse/chassis/audit/trail.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { isRefused, otherContent, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Subject } from "../screening/rules/screening.ts";
import type { ReviewAction, StoredAlert } from "./document.ts";
import {
  type Alert,
  type AlertAction,
  type AlertChange,
  dispositionOf,
  type ReviewedBy,
} from "./rules/alert.ts";
import type { AlertStore } from "./store.ts";

/**
 * Screens a subject again after a decision, brings the result into force and raises alerts.
 * Resolves when that is done, or at once if the subject is not monitored.
 */
export type Rescreen = (subject: Subject, trigger: "decision") => Promise<void>;

export type ReviewDeps = {
  readonly alerts: AlertStore;
  readonly audit: AuditStore<AlertAction>;
  readonly sealer: Sealer;
  readonly rescreen: Rescreen;
  readonly clock: Clock;
  readonly log: Log;
  readonly reviewed: (action: AlertAction) => void;
};

type By = Pick<ReviewedBy, "person" | "operation">;
type Refusal = Refused<"RECORD_NOT_FOUND" | "INVALID_REQUEST" | "ACCESS_FORBIDDEN">;
type Answer = Promise<Alert | Refusal>;

/** An operator's action on an alert, with the request's values. */
export type Intent = {
  readonly id: string;
  readonly action: AlertAction;
  readonly given: string;
  readonly rule: (alert: Alert, act: ReviewedBy) => AlertChange | Refusal;
};

/**
 * Performs an operator's action. One write stores the alert with its pending audit record, and
 * further steps follow. A repeat of the operation completes these steps and returns the first
 * result.
 */
export async function changeAlert(deps: ReviewDeps, intent: Intent, by: By): Answer {
  for (;;) {
    const found = await deps.alerts.read(intent.id);
    if (found === undefined) return refused("RECORD_NOT_FOUND");
    const first = found.actions.find((reviewAction) => reviewAction.by.operation === by.operation);
    if (first !== undefined) return repeated(deps, found, first, intent, by);
    const act: ReviewedBy = { ...by, at: deps.clock.now() };
    const changed = intent.rule(found.alert, act);
    if (isRefused(changed)) return changed;
    const { alert, action } = changed;
    const { assignee, state } = alert;
    const result = await deps.alerts.change(found, alert, {
      reviewAction: { by: act, action, given: intent.given, assignee, state },
      pendingAudit: auditRecord(changed, act, deps.sealer),
      isVerdictDue: dispositionOf(state) !== dispositionOf(found.alert.state),
    });
    if (result === "operation_used") return otherContent;
    if (result === "overtaken") continue;
    deps.reviewed(action);
    const written = await deps.alerts.read(intent.id);
    if (written !== undefined) await followUp(deps, written);
    return alert;
  }
}

async function repeated(
  deps: ReviewDeps,
  found: StoredAlert,
  first: ReviewAction,
  { action, given }: Intent,
  { person }: By,
): Answer {
  const isSame = first.action === action && first.given === given && first.by.person === person;
  if (!isSame) return otherContent;
  await followUp(deps, found);
  return { ...found.alert, assignee: first.assignee, state: first.state, updatedAt: first.by.at };
}

/**
 * Completes the steps after an action: first writes the audit trail, then updates the verdict. Each
 * step detects whether it is already done, so any process can continue. The decision is already
 * stored. If the update of the verdict fails, the sweep retries it.
 */
async function followUp(deps: ReviewDeps, stored: StoredAlert): Promise<void> {
  await record(deps, stored);
  try {
    await takeVerdict(deps, stored);
  } catch (error) {
    deps.log.error(
      { err: error, alert_id: stored.alert.id },
      "could not update the verdict after the decision of an alert; the update will be retried",
    );
  }
}

async function record({ audit, alerts }: ReviewDeps, { alert, pendingAudit }: StoredAlert) {
  for (const each of pendingAudit) {
    await audit.append(each);
    await alerts.recorded(alert.id, each);
  }
}

async function takeVerdict({ alerts, rescreen }: ReviewDeps, { alert, verdictDue }: StoredAlert) {
  if (verdictDue === undefined) return;
  await rescreen(alert.subject, "decision");
  await alerts.verdictTaken(alert.id, verdictDue);
}

/** Completes actions after a crash or a failure. Several processes may run it at the same time. */
export async function sweepReviews(deps: ReviewDeps): Promise<void> {
  for (const stored of await deps.alerts.unfinished()) {
    try {
      await record(deps, stored);
      await takeVerdict(deps, stored);
    } catch (error) {
      deps.log.error(
        { err: error, alert_id: stored.alert.id },
        "could not complete the decision of an alert; the decision will be retried",
      );
    }
  }
}

function auditRecord({ alert, action, detail }: AlertChange, act: ReviewedBy, sealer: Sealer) {
  const sealed = sealer.seal(detail, auditContext(alert.id));
  return { ...act, action, subject: alert.id, detail: sealed } satisfies AuditRecord<AlertAction>;
}

/**
 * Returns the encryption context for the detail of an audit record. It binds the detail to its
 * alert.
 */
export function auditContext(alertId: string): string {
  return `${alertId}|audit`;
}
