import type { Progress } from "./progress.ts";
import type { StepCause } from "./timeline.ts";

/**
 * `unknown`: the outcome is unknown. `stuck`: the payout is open too long, or no rail can take it.
 * `contradicted`: the rail contradicts itself.
 */
export type ExceptionKind = "unknown" | "stuck" | "contradicted";

/** `since`: the payout has had an exception since then. */
export type PayoutException = { readonly kind: ExceptionKind; readonly since: Date };

/**
 * Returns the exception after a step. An unknown or stuck payout loses it when the payout advances.
 * A contradiction stays until operators have resolved it, even after the payout's end, because the
 * rail's outcome and the ledger may differ.
 */
export function exceptionAfterStep(
  before: PayoutException | undefined,
  stage: Progress["stage"],
  cause: StepCause,
  at: Date,
): PayoutException | undefined {
  if (cause === "resolved") return undefined;
  if (before?.kind === "contradicted") return before;
  // A request to cancel doesn't advance a payout.
  if (cause === "cancelled" && (stage === "cancelling" || stage === "submitting")) return before;
  return stage === "unknown" ? raiseException(before, "unknown", at) : undefined;
}

/** Raises an exception. The more severe kind and the first time count. */
export function raiseException(before: PayoutException | undefined, kind: ExceptionKind, at: Date) {
  const severer = before !== undefined && isMoreSevere(before.kind, kind) ? before.kind : kind;
  return { kind: severer, since: before?.since ?? at };
}

function isMoreSevere(one: ExceptionKind, other: ExceptionKind): boolean {
  return severity[one] > severity[other];
}

const severity: Readonly<Record<ExceptionKind, number>> = { stuck: 0, unknown: 1, contradicted: 2 };

/** Sorted by severity, the least severe first. */
export const exceptionKinds = Object.keys(severity);

/** Returns true if a payout is open too long. `submittedAt` is `undefined` in the queue. */
export function isOverdue(submittedAt: Date | undefined, now: Date, stuckAfterMs: number): boolean {
  return submittedAt !== undefined && now.getTime() - submittedAt.getTime() >= stuckAfterMs;
}
