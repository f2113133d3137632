import type { RailStatus } from "@disburse/rail/report.ts";
import type { Payout } from "./payout.ts";
import type { Progress } from "./progress.ts";

/**
 * The next step of a cancellation. `conclude`: no rail has the payout, so this service cancels it.
 * `intend`: store the request before the rail is called. `withdraw`: ask the rail to withdraw the
 * transfer. `close`: the payout is cancelled, but its money is not released yet. `over`: the
 * cancellation is complete. `refused`: the rail has an outcome, or an operator must check the
 * payout.
 */
export type CancellationStep = "conclude" | "intend" | "withdraw" | "close" | "over" | "refused";

/** Returns the next step when a merchant cancels a payout. */
export function nextOfCancellation({
  progress,
  exception,
}: Pick<Payout, "progress" | "exception">): CancellationStep {
  const next = nextOf(progress);
  const isOpen = next === "conclude" || next === "intend" || next === "withdraw";
  // After a contradiction the rail's outcome is unknown, so the money must not be released.
  return isOpen && exception?.kind === "contradicted" ? "refused" : next;
}

/** Returns the next step by the stage alone. */
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

/** The progress of a payout that is cancelled but whose money is still held. */
export const cancelled: Progress = { stage: "concluding", outcome: { kind: "cancelled" } };

/**
 * Returns true if the rail's reply proves that the rail never pays the transfer. The reply must be
 * a rejection without a reason and without a contradiction.
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
  // If the rail did not withdraw the transfer, the rail may have it, as after a submission. The
  // rail's next report decides.
  return isWithdrawn ? cancelled : { stage: "submitting" };
}
