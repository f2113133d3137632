import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Outcome } from "@disburse/rail/report.ts";
import type { Payout } from "../../payouts/rules/payout.ts";
import { applyRailStatus, type Progress } from "../../payouts/rules/progress.ts";

/** The effect of a resolution. With `stands`, the exception ends and nothing else changes. */
export type Resolved =
  | { readonly kind: "moves"; readonly to: Progress }
  | { readonly kind: "stands" };

/**
 * Returns the effect of an outcome that operators set. It applies like a rail's report. A payout
 * that was never submitted may also be rejected. If the payout already has the outcome, only its
 * exception ends.
 */
export function effectOfOutcome(
  { progress, exception }: Pick<Payout, "progress" | "exception">,
  outcome: Outcome,
): Resolved | Refused<"INVALID_REQUEST"> {
  if (exception === undefined)
    return refused("INVALID_REQUEST", "payout_id: the payout has no exception");
  if (unsent.has(progress.stage) && outcome.kind === "rejected") {
    return { kind: "moves", to: { stage: "concluding", outcome } };
  }
  const next = applyRailStatus(progress, outcome);
  if (isRefused(next)) return next;
  if (next !== "unchanged") return { kind: "moves", to: next };
  return isPresent(progress, outcome)
    ? { kind: "stands" }
    : refused("INVALID_REQUEST", "outcome: is not possible for this payout");
}

const unsent: ReadonlySet<Progress["stage"]> = new Set([
  ...(["awaiting_approval", "queued", "awaiting_funds"] as const),
]);

/** Returns true if the payout already has the outcome, including the reference. */
function isPresent(progress: Progress, outcome: Outcome): boolean {
  switch (progress.stage) {
    case "concluding": {
      const decided = progress.outcome;
      if (decided.kind !== "settled") return outcome.kind === "rejected";
      if (decided.returned === true) return outcome.kind === "returned";
      return outcome.kind === "settled" && outcome.reference === decided.reference;
    }
    case "settled":
      return outcome.kind === "settled" && outcome.reference === progress.reference;
    case "rejected":
    case "cancelled":
      return outcome.kind === "rejected";
    case "returning":
    case "returned":
      return outcome.kind === "returned";
    default:
      return false;
  }
}

/** Formats an outcome for operators: `settled R-1`. */
export function outcomeText(outcome: Outcome): string {
  const reference = "reference" in outcome ? outcome.reference : undefined;
  return reference === undefined ? outcome.kind : `${outcome.kind} ${reference}`;
}
