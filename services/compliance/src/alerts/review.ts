import type { AuditStore } from "@disburse/chassis/audit/store.ts";
import type { AuditRecord } from "@disburse/chassis/audit/trail.ts";
import type { Sealer } from "@disburse/chassis/crypto/sealing.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Subject } from "../screening/rules/screening.ts";
import type { Deed, StoredAlert } from "./document.ts";
import {
  type Act,
  type Alert,
  type AlertAction,
  assignedTo,
  type Changed,
  confirmedBy,
  type Decision,
  decidedBy,
  reopenedBy,
  wordOf,
} from "./rules/alert.ts";
import type { AlertStore } from "./store.ts";

/**
 * What review asks of monitoring after a decision: screens a subject again, takes the result into
 * force, and raises its alerts. Resolves when that is done or the subject is not monitored.
 */
export type Rescreen = (subject: Subject, trigger: "decision") => Promise<void>;

export type ReviewDeps = {
  readonly alerts: AlertStore;
  readonly audit: AuditStore<AlertAction>;
  readonly sealer: Sealer;
  readonly rescreen: Rescreen;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of what a person did, once. */
  readonly reviewed: (action: AlertAction) => void;
};

/** Who asks, and as which operation. */
type By = Pick<Act, "person" | "operation">;
type Refusal = Refused<"RECORD_NOT_FOUND" | "INVALID_REQUEST" | "ACCESS_FORBIDDEN">;
type Answer = Promise<Alert | Refusal>;

export function assignAlert(deps: ReviewDeps, id: string, assignee: string, by: By): Answer {
  const rule = (alert: Alert, act: Act) => assignedTo(alert, assignee, act);
  return change(deps, { id, action: "alert.assigned", given: assignee, rule }, by);
}

const actionOf = {
  false_positive: "alert.false_positive",
  true_match: "alert.proposed",
  escalated: "alert.escalated",
} as const satisfies Record<Decision, AlertAction>;

export function decideAlert(
  deps: ReviewDeps,
  id: string,
  { decision, reason }: { readonly decision: Decision; readonly reason: string },
  by: By,
): Answer {
  const rule = (alert: Alert, act: Act) => decidedBy(alert, decision, reason, act);
  return change(deps, { id, action: actionOf[decision], given: reason, rule }, by);
}

export function confirmTrueMatch(deps: ReviewDeps, id: string, by: By): Answer {
  return change(deps, { id, action: "alert.confirmed", given: "", rule: confirmedBy }, by);
}

export function reopenAlert(deps: ReviewDeps, id: string, reason: string, by: By): Answer {
  const rule = (alert: Alert, act: Act) => reopenedBy(alert, reason, act);
  return change(deps, { id, action: "alert.reopened", given: reason, rule }, by);
}

type Intent = {
  readonly id: string;
  readonly action: AlertAction;
  readonly given: string;
  readonly rule: (alert: Alert, act: Act) => Changed | Refusal;
};

/**
 * One person's deed: one write of the alert, with the audit entry that it owes inside; then what
 * follows. A repeat of the operation does what is left of that, and gets the first result.
 */
async function change(deps: ReviewDeps, intent: Intent, by: By): Answer {
  for (;;) {
    const found = await deps.alerts.read(intent.id);
    if (found === undefined) return refused("RECORD_NOT_FOUND");
    const first = found.deeds.find((deed) => deed.by.operation === by.operation);
    if (first !== undefined) return repeated(deps, found, first, intent, by);
    const act: Act = { ...by, at: deps.clock.now() };
    const changed = intent.rule(found.alert, act);
    if (isRefused(changed)) return changed;
    const { alert, action } = changed;
    const { assignee, state } = alert;
    const result = await deps.alerts.change(found, alert, {
      deed: { by: act, action, given: intent.given, assignee, state },
      owed: auditRecord(changed, act, deps.sealer),
      isVerdictDue: wordOf(state) !== wordOf(found.alert.state),
    });
    if (result === "operation_used") return usedAlready;
    if (result === "overtaken") continue;
    deps.reviewed(action);
    const written = await deps.alerts.read(intent.id);
    if (written !== undefined) await followUp(deps, written);
    return alert;
  }
}

const usedAlready = refused(
  "INVALID_REQUEST",
  "mutation.operation_id: was used for something else",
);

async function repeated(
  deps: ReviewDeps,
  found: StoredAlert,
  first: Deed,
  { action, given }: Intent,
  { person }: By,
): Answer {
  const isSame = first.action === action && first.given === given && first.by.person === person;
  if (!isSame) return usedAlready;
  await followUp(deps, found);
  return { ...found.alert, assignee: first.assignee, state: first.state, updatedAt: first.by.at };
}

/**
 * What follows from a change: the audit trail first, then the verdict. Each finds what was done
 * before, so anybody can go on from wherever it was left. The decision stands already: a verdict
 * that cannot follow now is left to the sweep.
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

/** Finishes what a crash or a failure left. Safe beside everybody else. */
export async function sweepReviews(deps: ReviewDeps): Promise<void> {
  for (const stored of await deps.alerts.unfinished()) {
    try {
      await record(deps, stored);
      await takeVerdict(deps, stored);
    } catch (error) {
      // The others are not to wait for the one that cannot be finished.
      deps.log.error({ err: error, alert_id: stored.alert.id }, "review not finished");
    }
  }
}

function auditRecord({ alert, action, detail }: Changed, act: Act, sealer: Sealer) {
  const sealed = sealer.seal(detail, auditContext(alert.id));
  return { ...act, action, subject: alert.id, detail: sealed } satisfies AuditRecord<AlertAction>;
}

/** What an entry's detail is sealed for: it stays with its alert. */
export function auditContext(alertId: string): string {
  return `${alertId}|audit`;
}
