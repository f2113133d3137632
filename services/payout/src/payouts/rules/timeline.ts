import {
  type PayoutStatus,
  type PayoutSubStatus,
  type Progress,
  publicStatusOf,
  type RailStatus,
} from "./progress.ts";

/** Why a payout took a step. */
export type StepCause =
  | "executed"
  | "submitted"
  | "accepted"
  | "outcome_unknown"
  | "settled"
  | "rejected"
  | "returned"
  /** Two persons decided on it. */
  | "resolved";

/** What the journal has beside steps: that a payout waits for its beneficiary to be cleared. */
export type HistoryCause = StepCause | "uncleared";

const causes = {
  accepted: "accepted",
  settled: "settled",
  rejected: "rejected",
  returned: "returned",
  unknown: "outcome_unknown",
  not_received: "submitted",
} as const satisfies Record<RailStatus["kind"], StepCause>;

/** What a rail's answer is as the cause of a step. */
export function causeOf({ kind }: RailStatus): StepCause {
  return causes[kind];
}

/** A step of a payout, as its journal keeps it. */
export type TimelineStep = {
  readonly stage: Progress["stage"];
  readonly cause: HistoryCause;
  readonly version: number;
  readonly at: Date;
};

/** A change of what the merchant sees of a payout. */
export type TimelineEvent = {
  readonly status: PayoutStatus;
  readonly subStatus: PayoutSubStatus;
  readonly cause: StepCause;
  readonly version: number;
  readonly at: Date;
};

/**
 * The steps that changed a payout's status or sub-status, oldest first. A step between two others
 * that look alike is the house's own affair, and of screenings merchants are told nothing. What
 * people decided is told so also where the money moved a step later.
 */
export function timelineOf(steps: readonly TimelineStep[]): TimelineEvent[] {
  const events: TimelineEvent[] = [];
  let decided: StepCause | undefined;
  let before: Progress["stage"] | undefined;
  for (const { stage, cause, version, at } of steps) {
    if (cause === "uncleared") continue;
    const isDecision = stage === "concluding" || (stage === "returning" && before === "settled");
    if (isDecision) decided = cause;
    before = stage;
    const { status, subStatus } = publicStatusOf({ stage });
    const last = events.at(-1);
    if (last?.status === status && last.subStatus === subStatus) continue;
    const told = decided === "resolved" ? decided : visibleCause(stage, cause);
    events.push({ status, subStatus, cause: told, version, at });
  }
  return events;
}

/** A decided outcome is told when its money moved; until then the rail merely has the payout. */
function visibleCause(stage: Progress["stage"], cause: StepCause): StepCause {
  if (stage === "concluding") return "accepted";
  return stage === "returning" ? "settled" : cause;
}
