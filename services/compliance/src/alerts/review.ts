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
 * What monitoring does after a decision: screens a subject again, takes the result into
 * force, and raises its alerts. Resolves when that is done or the subject is not monitored.
 */
export type Rescreen = (subject: Subject, trigger: "decision") => Promise<void>;

/** What review needs. */
export type ReviewDeps = {
  readonly alerts: AlertStore;
  readonly audit: AuditStore<AlertAction>;
  readonly sealer: Sealer;
  readonly rescreen: Rescreen;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts an action, once. */
  readonly reviewed: (action: AlertAction) => void;
};

/** The person, and the operation. */
type By = Pick<ReviewedBy, "person" | "operation">;
type Refusal = Refused<"RECORD_NOT_FOUND" | "INVALID_REQUEST" | "ACCESS_FORBIDDEN">;
type Answer = Promise<Alert | Refusal>;

/** What a person does with an alert, as which action, with what they gave. */
export type Intent = {
  readonly id: string;
  readonly action: AlertAction;
  readonly given: string;
  readonly rule: (alert: Alert, act: ReviewedBy) => AlertChange | Refusal;
};

/**
 * One operator's action: one write of the alert with its pending audit entry, then what follows. A
 * repeat of the operation does what is left of that, and gets the first result.
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
      owed: auditRecord(changed, act, deps.sealer),
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
 * What follows from a change: the audit trail first, then the verdict. Each finds what was done
 * before, so any process can go on from there. The decision stands already: the sweep retries a
 * verdict that cannot follow now.
 */
async function followUp(deps: ReviewDeps, stored: StoredAlert): Promise<void> {
  await record(deps, stored);
  try {
    await takeVerdict(deps, stored);
  } catch (error) {
    deps.log.error({ err: error, alert_id: stored.alert.id }, "verdict does not follow yet");
  }
}

async function record({ audit, alerts }: ReviewDeps, { alert, owed }: StoredAlert) {
  for (const each of owed) {
    await audit.append(each);
    await alerts.recorded(alert.id, each);
  }
}

async function takeVerdict({ alerts, rescreen }: ReviewDeps, { alert, verdictDue }: StoredAlert) {
  if (verdictDue === undefined) return;
  await rescreen(alert.subject, "decision");
  await alerts.verdictTaken(alert.id, verdictDue);
}

/** Finishes what a crash or a failure left; safe to run concurrently. */
export async function sweepReviews(deps: ReviewDeps): Promise<void> {
  for (const stored of await deps.alerts.unfinished()) {
    try {
      await record(deps, stored);
      await takeVerdict(deps, stored);
    } catch (error) {
      deps.log.error({ err: error, alert_id: stored.alert.id }, "review not finished");
    }
  }
}

function auditRecord({ alert, action, detail }: AlertChange, act: ReviewedBy, sealer: Sealer) {
  const sealed = sealer.seal(detail, auditContext(alert.id));
  return { ...act, action, subject: alert.id, detail: sealed } satisfies AuditRecord<AlertAction>;
}

/** What an entry's detail is sealed for: it stays with its alert. */
export function auditContext(alertId: string): string {
  return `${alertId}|audit`;
}
