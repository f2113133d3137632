import type { RailStatus } from "@disburse/rail/report.ts";
import { type Progress, publicStatusOf } from "./progress.ts";

/** Why a payout took a step. */
export type StepCause =
  | "executed"
  | "submitted"
  | "awaiting_funds"
  | "accepted"
  | "outcome_unknown"
  | "settled"
  | "rejected"
  | "returned"
  /** Operators resolved it. */
  | "resolved"
  /** Its merchant cancels it: each step on the way there, also where that came to nothing. */
  | "cancelled"
  /** A second actor of its merchant approved it, or did not; or no one did in time. */
  | "approved"
  | "approval_rejected"
  | "approval_expired"
  /** Another payout pays it again. */
  | "reissued";

/** The causes in a history: of steps, and of a wait for the clearance of the beneficiary. */
export type HistoryCause = StepCause | "uncleared";

const causes = {
  accepted: "accepted",
  settled: "settled",
  rejected: "rejected",
  returned: "returned",
  unknown: "outcome_unknown",
  not_received: "submitted",
} as const satisfies Record<RailStatus["kind"], StepCause>;

/** The cause of a step that a rail's status makes. */
export function causeOf({ kind }: RailStatus): StepCause {
  return causes[kind];
}

/** The cause of the step in which the money of a decided outcome has moved. */
export function causeOfEnd(to: Progress): StepCause {
  if (to.stage === "cancelled") return to.because ?? "cancelled";
  return to.stage === "rejected" || to.stage === "returned" ? to.stage : "settled";
}

/** A step of a payout, as its history keeps it. */
export type TimelineStep = {
  readonly stage: Progress["stage"];
  readonly cause: HistoryCause;
  /** The payout's version by then. */
  readonly version: number;
  readonly at: Date;
};

/** A change of public status. */
export type TimelineEvent = ReturnType<typeof publicStatusOf> & {
  readonly cause: StepCause;
  readonly version: number;
  readonly at: Date;
};

/**
 * The steps that changed a payout's status or sub-status, oldest first, and its reissue. Screening
 * is not shown to merchants. The cause of a resolved outcome is `resolved`, also where the money
 * moved a step later.
 */
export function timelineOf(steps: readonly TimelineStep[]): TimelineEvent[] {
  const events: TimelineEvent[] = [];
  let decided: StepCause | undefined;
  let before: Progress["stage"] | undefined;
  for (const { stage, cause, version, at } of steps) {
    if (cause === "uncleared" || (cancelling.has(cause) && stage !== "cancelled")) continue;
    const isDecision = stage === "concluding" || (stage === "returning" && before === "settled");
    if (isDecision) decided = cause;
    before = stage;
    const status = publicStatusOf({ stage });
    const last = events.at(-1);
    if (
      cause !== "reissued" &&
      last?.status === status.status &&
      last.subStatus === status.subStatus
    )
      continue;
    const shown = decided === "resolved" ? decided : visibleCause(stage, cause);
    events.push({ ...status, cause: shown, version, at });
  }
  return events;
}

/** Of these the merchant sees the end alone, when the money is available again. */
const cancelling: ReadonlySet<HistoryCause> = new Set([
  ...(["cancelled", "approval_rejected", "approval_expired"] as const),
]);

/** A decided outcome is public when its money moved; until then the rail has the payout. */
function visibleCause(stage: Progress["stage"], cause: StepCause): StepCause {
  if (stage === "concluding") return "accepted";
  return stage === "returning" ? "settled" : cause;
}
