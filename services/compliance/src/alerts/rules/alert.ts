import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Disposition } from "../../screening/rules/decided-finding.ts";
import type { ScreeningHit } from "../../screening/rules/hit.ts";
import type { Subject } from "../../screening/rules/screening.ts";

/** The person who acted, with the operation and the time. */
export type ReviewedBy = { readonly person: string; readonly operation: string; readonly at: Date };

type Rationale = { readonly by: ReviewedBy; readonly reason: string };

export type PendingState = { readonly kind: "open" } | ({ readonly kind: "escalated" } & Rationale);

export type DecidedState =
  | ({ readonly kind: "false_positive" } & Rationale)
  /** `confirmed` is the second person. */
  | ({ readonly kind: "true_match"; readonly confirmed: string } & Rationale);

/** An alert is pending, decided, or closed with its previous state. */
export type AlertState =
  | PendingState
  | DecidedState
  /** The hit no longer exists. If the same hit returns, the alert returns to its previous state. */
  | { readonly kind: "closed"; readonly before: PendingState | DecidedState; readonly at: Date };

export type AlertStateKind = AlertState["kind"];

/** The states in which a person must decide. */
export const pendingKinds = ["open", "escalated"] as const satisfies PendingState["kind"][];

/** A list entry that may be one party or wallet of a subject. */
export type Alert = {
  readonly id: string;
  readonly subject: Subject;
  /** The party or wallet of the subject, as a keyed hash of its compared data. */
  readonly partyKey: string;
  readonly detection: Detection;
  /** The person who works on it; "" if unassigned. */
  readonly assignee: string;
  readonly state: AlertState;
  /** The ids of its files, oldest first. */
  readonly files: readonly string[];
  readonly comments: number;
  /**
   * The time since which the alert has been waiting for a decision. For a decided alert, the start
   * of its last wait.
   */
  readonly waitingSince: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The latest screening that found the hit, with the hit as found. */
export type Detection = {
  readonly screeningId: string;
  /** The subject's revision. A lower revision means an older result. */
  readonly revision: number;
  readonly hit: ScreeningHit;
  /** The name of the screened party or bank, or the address of the wallet. */
  readonly party: string;
};

/** Operators' actions. These names are used in the audit trail. */
export type AlertAction =
  | "alert.assigned"
  | "alert.escalated"
  | "alert.false_positive"
  | "alert.true_match"
  | "alert.reopened"
  | "alert.commented"
  | "alert.file_added";

/** An alert after an operator's action, with the detail for the audit trail. */
export type AlertChange = {
  readonly alert: Alert;
  readonly action: AlertAction;
  readonly detail: string;
};

type Invalid = Refused<"INVALID_REQUEST">;

const invalid = (problem: string): Invalid => refused("INVALID_REQUEST", `alert_id: ${problem}`);
const isClosed = invalid("is closed, because its hit no longer exists");
const isDecided = invalid("was already decided: reopen it first");

/** Returns the effect of a state on the subject's verdict. */
export function dispositionOf(state: AlertState): Disposition {
  return state.kind === "false_positive" || state.kind === "true_match" ? state.kind : "undecided";
}

/** The hours within which an alert must be decided, by the verdict of its hit. */
export type DueHours = Readonly<Record<"review" | "block", number>>;

/** Returns the time by which an alert must be decided, if it needs a decision. */
export function dueAt(
  { state, detection, waitingSince }: Alert,
  { review, block }: DueHours,
): Date | undefined {
  if (!isPending(state)) return undefined;
  const hours = detection.hit.verdict === "block" ? block : review;
  return new Date(waitingSince.getTime() + hours * 3_600_000);
}

export function isPending(state: AlertState): state is PendingState {
  return pendingKinds.some((kind) => kind === state.kind);
}

function notPending({ kind }: AlertState): Invalid {
  return kind === "closed" ? isClosed : isDecided;
}

/** Assigns an alert to a person; "" unassigns it. */
export function assignedTo(alert: Alert, assignee: string, by: ReviewedBy): AlertChange | Invalid {
  if (!isPending(alert.state)) return notPending(alert.state);
  const changed = { ...alert, assignee, updatedAt: by.at };
  return { alert: changed, action: "alert.assigned", detail: assignee };
}

/** An alert's document contains its comments, so their number is limited. */
const commentsMax = 200;
/** More files belong in a case system of their own. */
const filesMax = 20;

/** Adds a comment, which is only in the history. */
export function commentedOn(alert: Alert, comment: string, { at }: ReviewedBy) {
  if (alert.comments >= commentsMax) return invalid(`has ${commentsMax} comments already`);
  const changed = { ...alert, comments: alert.comments + 1, updatedAt: at };
  return { alert: changed, action: "alert.commented", detail: comment } satisfies AlertChange;
}

/** Returns the problem if an alert can't have another file. */
export function fullOfFiles({ files }: Alert): Invalid | undefined {
  return files.length < filesMax ? undefined : invalid(`has ${filesMax} files already`);
}

type AddedFile = { readonly id: string; readonly name: string; readonly sha256: string };

export function withFile(alert: Alert, { id, name, sha256 }: AddedFile, { at }: ReviewedBy) {
  const full = fullOfFiles(alert);
  if (full !== undefined) return full;
  const changed = { ...alert, files: [...alert.files, id], updatedAt: at };
  const detail = `${name} (${id}, SHA-256 ${sha256})`;
  return { alert: changed, action: "alert.file_added", detail } satisfies AlertChange;
}

/** A true match always needs two persons. */
export type Decision = "false_positive" | "true_match" | "escalated";

const alone = refused("ACCESS_FORBIDDEN", "caller: another person must approve the decision");

/** Decides a pending alert. `second` is the approver, if the decision needs one. */
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
 * Reopens an alert. A confirmed true match requires an approval, and a person other than the one
 * who confirmed it. This check runs again here, because the alert may have been confirmed after the
 * approval check.
 */
export function reopenedBy(
  alert: Alert,
  reason: string,
  by: ReviewedBy,
  isApproved: boolean,
): AlertChange | Invalid {
  const { state } = alert;
  if (state.kind === "closed") return isClosed;
  if (state.kind === "open") return invalid("has no decision to reopen");
  if (state.kind === "true_match" && isSamePerson(state.confirmed, by.person)) {
    return refused("INVALID_REQUEST", "caller: must not be the person who confirmed the match");
  }
  if (state.kind === "true_match" && !isApproved) {
    return invalid("was confirmed by a second person in the meantime: repeat the request");
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

export function opened(
  of: Pick<Alert, "id" | "subject" | "partyKey">,
  detection: Detection,
  at: Date,
): Alert {
  const times = { waitingSince: at, createdAt: at, updatedAt: at };
  const nothing = { assignee: "", state: { kind: "open" }, files: [], comments: 0 } as const;
  return { ...of, detection, ...nothing, ...times };
}

/**
 * Updates an alert whose hit was found again. Returns `undefined` if a newer screening already did
 * so.
 */
export function redetected(alert: Alert, detection: Detection, at: Date): Alert | undefined {
  if (alert.detection.revision >= detection.revision) return undefined;
  if (alert.state.kind !== "closed") return { ...alert, detection };
  const state = alert.state.before;
  const waitingSince = isPending(state) ? at : alert.waitingSince;
  return { ...alert, detection, state, waitingSince, updatedAt: at };
}

/** Facts about a screening that does not list an alert's hit. */
export type Absence = {
  /** True if the screening may have found more hits than it lists. */
  readonly isTruncated: boolean;
  /** True if the party or wallet was screened. */
  readonly hasParty: boolean;
  /** True if the entry is on its list, or if that may be unknown. */
  readonly isListed: boolean;
};

/**
 * True if the absence of a hit proves that the hit no longer exists. A confirmed true match never
 * closes in this way, because it is the operators' own record of the party. Only two persons can
 * reopen it.
 */
export function isGone({ state }: Alert, { isTruncated, hasParty, isListed }: Absence): boolean {
  if (state.kind === "true_match") return false;
  return !hasParty || !isListed || !isTruncated;
}

/** Updates an alert after a screening without its hit. Returns `undefined` if nothing changes. */
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
