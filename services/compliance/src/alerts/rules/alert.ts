import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Disposition } from "../../screening/rules/decided-finding.ts";
import type { ScreeningHit } from "../../screening/rules/hit.ts";
import type { Subject } from "../../screening/rules/screening.ts";

/** Who acted, as which operation, and when. */
export type ReviewedBy = { readonly person: string; readonly operation: string; readonly at: Date };

type Rationale = { readonly by: ReviewedBy; readonly reason: string };

/** A person has to look. */
export type PendingState = { readonly kind: "open" } | ({ readonly kind: "escalated" } & Rationale);

/** A disposition with its rationale. */
export type DecidedState =
  | ({ readonly kind: "false_positive" } & Rationale)
  /** Confirmed by the second person. */
  | ({ readonly kind: "true_match"; readonly confirmed: string } & Rationale);

/** An alert is pending, decided, or closed with the state before. */
export type AlertState =
  | PendingState
  | DecidedState
  /** The hit is gone; should it come back as it was, so does the state before. */
  | { readonly kind: "closed"; readonly before: PendingState | DecidedState; readonly at: Date };

/** The names of the states, as they are stored. */
export type AlertStateKind = AlertState["kind"];

/** The states in which a person has to look. */
export const pendingKinds = ["open", "escalated"] as const satisfies PendingState["kind"][];

/** One entry of a list that one party or wallet of a subject may be. */
export type Alert = {
  readonly id: string;
  readonly subject: Subject;
  /** Which party or wallet of the subject, by a keyed hash of what is compared of it. */
  readonly partyKey: string;
  readonly detection: Detection;
  /** Who works on it; "" where it is unassigned. */
  readonly assignee: string;
  readonly state: AlertState;
  /** Since when a person has to look, or had to. */
  readonly waitingSince: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The last screening that found the hit, and how. */
export type Detection = {
  readonly screeningId: string;
  /** Of the subject: a lower one is an older result. */
  readonly revision: number;
  readonly hit: ScreeningHit;
};

/** Actions of operators, as the audit trail names them. */
export type AlertAction =
  | "alert.assigned"
  | "alert.escalated"
  | "alert.false_positive"
  | "alert.true_match"
  | "alert.reopened";

/** An alert after an operator's action, and what the audit trail records of it. */
export type AlertChange = {
  readonly alert: Alert;
  readonly action: AlertAction;
  readonly detail: string;
};

type Invalid = Refused<"INVALID_REQUEST">;

const invalid = (problem: string): Invalid => refused("INVALID_REQUEST", `alert_id: ${problem}`);
const isClosed = invalid("is closed, its hit is no more");
const isDecided = invalid("is decided already");

/** What a state means for the verdict of the subject. */
export function dispositionOf(state: AlertState): Disposition {
  return state.kind === "false_positive" || state.kind === "true_match" ? state.kind : "undecided";
}

/** Whether a person has to look. */
export function isPending(state: AlertState): state is PendingState {
  return pendingKinds.some((kind) => kind === state.kind);
}

function notPending({ kind }: AlertState): Invalid {
  return kind === "closed" ? isClosed : isDecided;
}

/** Assigns an alert to a person, or with "" unassigns it. */
export function assignedTo(alert: Alert, assignee: string, by: ReviewedBy): AlertChange | Invalid {
  if (!isPending(alert.state)) return notPending(alert.state);
  const changed = { ...alert, assignee, updatedAt: by.at };
  return { alert: changed, action: "alert.assigned", detail: assignee };
}

/** What an alert can be decided as; a true match by two persons alone. */
export type Decision = "false_positive" | "true_match" | "escalated";

const alone = refused("ACCESS_FORBIDDEN", "caller: needs the approval of another person");

/** A decision on a pending alert; `second` has approved it, where it needs a second person. */
export function decidedBy(
  alert: Alert,
  decision: Decision,
  reason: string,
  by: ReviewedBy,
  second?: string,
): AlertChange | Refused<"ACCESS_FORBIDDEN" | "INVALID_REQUEST"> {
  if (!isPending(alert.state)) return notPending(alert.state);
  const rationale = { by, reason };
  if (decision !== "true_match") {
    return changedTo(alert, { kind: decision, ...rationale }, `alert.${decision}`, reason, by);
  }
  if (second === undefined) return alone;
  const state = { kind: "true_match" as const, confirmed: second, ...rationale };
  return changedTo(alert, state, "alert.true_match", `approved by ${second}: ${reason}`, by);
}

/**
 * Reopens an alert. A confirmed true match needs another person than the one who confirmed it, and an
 * approval: it may have been confirmed since the request was found to need none.
 */
export function reopenedBy(
  alert: Alert,
  reason: string,
  by: ReviewedBy,
  isApproved: boolean,
): AlertChange | Invalid {
  const { state } = alert;
  if (state.kind === "closed") return isClosed;
  if (state.kind === "open") return invalid("nothing is decided");
  if (state.kind === "true_match" && isSamePerson(state.confirmed, by.person)) {
    return refused("INVALID_REQUEST", "caller: must not be the one who confirmed it");
  }
  if (state.kind === "true_match" && !isApproved) {
    return invalid("a second person has confirmed it meanwhile: request it again");
  }
  return changedTo(alert, { kind: "open" }, "alert.reopened", reason, by);
}

function changedTo(
  alert: Alert,
  state: PendingState | DecidedState,
  action: AlertAction,
  detail: string,
  { at }: ReviewedBy,
): AlertChange {
  const waitsAnew = isPending(state) && !isPending(alert.state);
  const waitingSince = waitsAnew ? at : alert.waitingSince;
  return { alert: { ...alert, state, waitingSince, updatedAt: at }, action, detail };
}

/** Ids of one person may differ in letter case. */
function isSamePerson(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The alert of a new hit. */
export function opened(
  of: Pick<Alert, "id" | "subject" | "partyKey">,
  detection: Detection,
  at: Date,
): Alert {
  const times = { waitingSince: at, createdAt: at, updatedAt: at };
  return { ...of, detection, assignee: "", state: { kind: "open" }, ...times };
}

/** The same hit again; `undefined`: a newer screening found it already. */
export function redetected(alert: Alert, detection: Detection, at: Date): Alert | undefined {
  if (alert.detection.revision >= detection.revision) return undefined;
  if (alert.state.kind !== "closed") return { ...alert, detection };
  const state = alert.state.before;
  const waitingSince = isPending(state) ? at : alert.waitingSince;
  return { ...alert, detection, state, waitingSince, updatedAt: at };
}

/** What a screening that does not list an alert's hit knows of it. */
export type Absence = {
  /** Whether it may have found more than it lists. */
  readonly isTruncated: boolean;
  /** Whether the party or wallet was screened. */
  readonly hasParty: boolean;
  /** Whether the entry is on its list; where that may not be known, it is. */
  readonly isListed: boolean;
};

/**
 * Whether the absence of a hit means that it is no more. A confirmed true match is the operator's
 * own record of the party: no list, score or screening ends it, but two persons who reopen it.
 */
export function isGone({ state }: Alert, { isTruncated, hasParty, isListed }: Absence): boolean {
  if (state.kind === "true_match") return false;
  return !hasParty || !isListed || !isTruncated;
}

/** A screening without the hit; `undefined`: nothing changes. */
export function missed(
  alert: Alert,
  absence: Absence,
  revision: number,
  at: Date,
): Alert | undefined {
  const { state, detection } = alert;
  const isOld = detection.revision >= revision;
  if (state.kind === "closed" || isOld || !isGone(alert, absence)) return undefined;
  return {
    ...alert,
    detection: { ...detection, revision },
    state: { kind: "closed", before: state, at },
    updatedAt: at,
  };
}
