import type { Payout } from "./payout.ts";
import type { Progress } from "./progress.ts";

/**
 * The next step of a cancellation: no rail has the payout, so that it is decided here; its rail has
 * to be asked, which is written down first; it is being asked; or the money of what was decided has
 * to move. `over`: it is cancelled. `refused`: its rail has an outcome, or people have to look at it.
 */
export type CancellationStep = "conclude" | "intend" | "withdraw" | "close" | "over" | "refused";

/** What is next where a merchant cancels a payout. */
export function nextOfCancellation({
  progress,
  exception,
}: Pick<Payout, "progress" | "exception">): CancellationStep {
  if (progress.stage === "cancelled") return "over";
  if (progress.stage === "concluding") {
    return progress.outcome.kind === "cancelled" ? "close" : "refused";
  }
  // What its rail did is not what we know: releasing the money would be a guess.
  if (exception?.kind === "contradicted") return "refused";
  switch (progress.stage) {
    case "queued":
      return "conclude";
    case "submitting":
    case "processing":
    case "unknown":
      return "intend";
    case "cancelling":
      return "withdraw";
    default:
      return "refused";
  }
}

/** Where a payout stands after its rail has said whether it takes it back. */
export function afterWithdrawal(isWithdrawn: boolean): Progress {
  // Else its rail may have it, as after a submission: what it says next decides.
  return isWithdrawn
    ? { stage: "concluding", outcome: { kind: "cancelled" } }
    : { stage: "submitting" };
}
