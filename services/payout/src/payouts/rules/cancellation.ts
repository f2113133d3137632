import type { RailStatus } from "@disburse/rail/report.ts";
import type { Payout } from "./payout.ts";
import type { Progress } from "./progress.ts";

/**
 * The next step of a cancellation: no rail has the payout, so that it is decided here; its rail has
 * to be asked, which is written down first; it is being asked; or the money of what was decided has
 * to move. `over`: it is cancelled. `refused`: its rail has an outcome, or people have to look at
 * it.
 */
export type CancellationStep = "conclude" | "intend" | "withdraw" | "close" | "over" | "refused";

/** What is next where a merchant cancels a payout. */
export function nextOfCancellation({
  progress,
  exception,
}: Pick<Payout, "progress" | "exception">): CancellationStep {
  const next = nextOf(progress);
  const isOpen = next === "conclude" || next === "intend" || next === "withdraw";
  // What its rail did is not what we know: releasing the money would be a guess.
  return isOpen && exception?.kind === "contradicted" ? "refused" : next;
}

/** By its stage alone; one that is added later has to be decided on here. */
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

/** A payout whose merchant took it back: its money is to be released. */
export const cancelled: Progress = { stage: "concluding", outcome: { kind: "cancelled" } };

/**
 * Whether a rail that never pays a transfer took it back: it rejects it, without a reason of its
 * own and without a doubt.
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

/** Where a payout stands after its rail has said whether it takes it back. */
export function afterWithdrawal(isWithdrawn: boolean): Progress {
  // Else its rail may have it, as after a submission: what it says next decides.
  return isWithdrawn ? cancelled : { stage: "submitting" };
}
