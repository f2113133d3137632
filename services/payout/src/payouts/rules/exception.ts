import type { Progress } from "./progress.ts";
import type { StepCause } from "./timeline.ts";

/**
 * The kind of an exception. `unknown`: the rail doesn't know the outcome. `stuck`: the payout has
 * been open too long, or no rail can take it. `contradicted`: the rail's reports contradict each
 * other.
 */
export type ExceptionKind = "unknown" | "stuck" | "contradicted";

/**
 * An exception of a payout. `since` is the time at which the payout first had an exception, even of
 * a less severe kind.
 */
export type PayoutException = { readonly kind: ExceptionKind; readonly since: Date };

/**
 * Returns a payout's exception after a step. The kinds `unknown` and `stuck` end when the payout
 * advances. A contradiction stays until operators have resolved it, even after the end of the
 * payout, because the rail's outcome and the ledger may differ.
 */
export function exceptionAfterStep(
  before: PayoutException | undefined,
  stage: Progress["stage"],
  cause: StepCause,
  at: Date,
): PayoutException | undefined {
  if (cause === "resolved") return undefined;
  if (before?.kind === "contradicted") return before;
  // A cancellation request doesn't advance the payout, so the exception stays.
  if (cause === "cancelled" && (stage === "cancelling" || stage === "submitting")) return before;
  return stage === "unknown" ? raiseException(before, "unknown", at) : undefined;
}

/**
 * Returns the exception after a new one was raised. It has the more severe kind and the earlier
 * time.
 */
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

/**
 * Returns true if a payout has been open too long since its submission. A payout that was never
 * submitted has no `submittedAt`.
 */
export function isOverdue(submittedAt: Date | undefined, now: Date, stuckAfterMs: number): boolean {
  return submittedAt !== undefined && now.getTime() - submittedAt.getTime() >= stuckAfterMs;
}
