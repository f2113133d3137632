import type { Progress } from "./progress.ts";
import type { StepCause } from "./timeline.ts";

/** Outcome unknown; open too long, or no rail can take it; or the rail contradicts itself. */
export type ExceptionKind = "unknown" | "stuck" | "contradicted";

/** An exception, and since when the payout has had one. */
export type PayoutException = { readonly kind: ExceptionKind; readonly since: Date };

/**
 * The exception after a step. One of an outcome or a delay ends when the payout advances. A
 * contradiction stays until operators have resolved it, also at the payout's end: what the rail did
 * and what was posted may differ.
 */
export function exceptionAfterStep(
  before: PayoutException | undefined,
  stage: Progress["stage"],
  cause: StepCause,
  at: Date,
): PayoutException | undefined {
  if (cause === "resolved") return undefined;
  if (before?.kind === "contradicted") return before;
  // To ask for a cancellation does not advance a payout.
  if (cause === "cancelled" && (stage === "cancelling" || stage === "submitting")) return before;
  return stage === "unknown" ? raiseException(before, "unknown", at) : undefined;
}

/** Raises an exception: the more severe kind counts, since the first. */
export function raiseException(before: PayoutException | undefined, kind: ExceptionKind, at: Date) {
  const severer = before !== undefined && isMoreSevere(before.kind, kind) ? before.kind : kind;
  return { kind: severer, since: before?.since ?? at };
}

/** Whether one kind of exception is more severe than another. */
function isMoreSevere(one: ExceptionKind, other: ExceptionKind): boolean {
  return severity[one] > severity[other];
}

const severity: Readonly<Record<ExceptionKind, number>> = { stuck: 0, unknown: 1, contradicted: 2 };

/** Every kind, the least severe first. */
export const exceptionKinds = Object.keys(severity);

/** Whether a payout is open for too long; `submittedAt` is `undefined` in the queue. */
export function isOverdue(submittedAt: Date | undefined, now: Date, stuckAfterMs: number): boolean {
  return submittedAt !== undefined && now.getTime() - submittedAt.getTime() >= stuckAfterMs;
}
