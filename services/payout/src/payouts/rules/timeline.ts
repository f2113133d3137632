import type { RailStatus } from "@disburse/rail/report.ts";
import { type Progress, publicStatusOf } from "./progress.ts";

export type StepCause =
  | "executed"
  | "submitted"
  | "awaiting_funds"
  | "accepted"
  | "outcome_unknown"
  | "settled"
  | "rejected"
  | "returned"
  | "resolved"
  /** A step of a cancellation by the merchant, even of one that failed. */
  | "cancelled"
  /** A second actor of the merchant approved or rejected the payout, or the approval expired. */
  | "approved"
  | "approval_rejected"
  | "approval_expired"
  | "reissued";

/**
 * The causes of entries in the history: those of steps, and waits for the beneficiary's clearance.
 */
export type HistoryCause = StepCause | "uncleared";

const causes = {
  accepted: "accepted",
  settled: "settled",
  rejected: "rejected",
  returned: "returned",
  unknown: "outcome_unknown",
  not_received: "submitted",
} as const satisfies Record<RailStatus["kind"], StepCause>;

export function causeOf({ kind }: RailStatus): StepCause {
  return causes[kind];
}

/** Returns the cause of the step that follows the money movement of a decided outcome. */
export function causeOfEnd(to: Progress): StepCause {
  if (to.stage === "cancelled") return to.because ?? "cancelled";
  return to.stage === "rejected" || to.stage === "returned" ? to.stage : "settled";
}

export type TimelineStep = {
  readonly stage: Progress["stage"];
  readonly cause: HistoryCause;
  /** The payout's version at that time. */
  readonly version: number;
  readonly at: Date;
};

export type TimelineEvent = Omit<ReturnType<typeof publicStatusOf>, "subStatus"> & {
  readonly subStatus: ReturnType<typeof publicStatusOf>["subStatus"] | "awaiting_balance";
  readonly cause: StepCause | "awaiting_balance";
  readonly version: number;
  readonly at: Date;
};

/**
 * Returns the steps that changed a payout's status or sub-status, oldest first, and its reissue.
 * Waits for screening are left out, because merchants must not see them. An outcome that operators
 * resolved has the cause `resolved`, even if a later step moved the money.
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

/** Of these steps, the merchant sees only the last, when the money is available again. */
const cancelling: ReadonlySet<HistoryCause> = new Set([
  ...(["cancelled", "approval_rejected", "approval_expired"] as const),
]);

/**
 * Returns the cause that the merchant sees. A decided outcome is only shown once its money has
 * moved; until then the payout appears to be with the rail.
 */
function visibleCause(stage: Progress["stage"], cause: StepCause): StepCause {
  if (stage === "concluding") return "accepted";
  return stage === "returning" ? "settled" : cause;
}

/** Returns the first event of a payout that waited for its merchant's balance. */
export function waitingBegan(since: Date): TimelineEvent {
  const shown = { status: "initiated", subStatus: "awaiting_balance" } as const;
  return { ...shown, cause: "awaiting_balance", version: 1, at: since };
}
