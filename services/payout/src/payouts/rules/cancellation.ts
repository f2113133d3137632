import type { RailStatus } from "@disburse/rail/report.ts";
import type { Payout } from "./payout.ts";
import type { Progress } from "./progress.ts";

/**
 * The next step of a cancellation. `conclude`: no rail has the payout, so this service decides.
 * `intend`: record the request before the rail is called. `withdraw`: the rail is being asked.
 * `close`: the decided movement of money is pending. `over`: the payout is cancelled. `refused`:
 * the rail has an outcome, or an operator must check it.
 */
export type CancellationStep = "conclude" | "intend" | "withdraw" | "close" | "over" | "refused";

/** Returns the next step when a merchant cancels a payout. */
export function nextOfCancellation({
  progress,
  exception,
}: Pick<Payout, "progress" | "exception">): CancellationStep {
  const next = nextOf(progress);
  const isOpen = next === "conclude" || next === "intend" || next === "withdraw";
  // After a contradiction the rail's outcome is unknown: a release of the money would be a guess.
  return isOpen && exception?.kind === "contradicted" ? "refused" : next;
}

/** Decides by stage only. A new stage must be added here. */
function nextOf(progress: Progress): CancellationStep {
  switch (progress.stage) {
    case "awaiting_approval":
    case "queued":
    case "awaiting_funds":
      return "conclude";
    case "submitting":
    case "processing":
    case "unknown":
      return "intend";
    case "cancelling":
      return "withdraw";
    case "concluding":
      return progress.outcome.kind === "cancelled" ? "close" : "refused";
    case "cancelled":
      return "over";
    case "settled":
    case "returning":
    case "rejected":
    case "returned":
      return "refused";
  }
}

/** The merchant cancelled the payout. Its money is still held. */
export const cancelled: Progress = { stage: "concluding", outcome: { kind: "cancelled" } };

/**
 * Returns true if the rail never pays the transfer: it rejects it without a reason and without a
 * contradiction.
 */
export function isTakenBack({
  status,
  contradiction,
}: {
  readonly status: RailStatus;
  readonly contradiction?: string | undefined;
}): boolean {
  return status.kind === "rejected" && status.failure === undefined && contradiction === undefined;
}

/** Returns the progress after the rail's reply to a withdrawal. */
export function afterWithdrawal(isWithdrawn: boolean): Progress {
  // Otherwise the rail may have it, as after a submission. The next report decides.
  return isWithdrawn ? cancelled : { stage: "submitting" };
}
