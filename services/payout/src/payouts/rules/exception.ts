import type { Progress } from "./progress.ts";
import type { StepCause } from "./timeline.ts";

/**
 * Why people have to look at a payout: its rail cannot tell, it is not at its end for longer than
 * its rail ever takes (or no rail can take it), or its rail contradicted itself.
 */
export type ExceptionKind = "unknown" | "stuck" | "contradicted";

/** A doubt, and since when there has been one. */
export type PayoutException = { readonly kind: ExceptionKind; readonly since: Date };

/**
 * The doubt after a step. One about an outcome or a delay ends when the payout moves on; a
 * contradiction does not, also at the payout's end, until people have resolved it: what the rail
 * did and what was booked may differ.
 */
export function exceptionAfterStep(
  before: PayoutException | undefined,
  stage: Progress["stage"],
  cause: StepCause,
  at: Date,
): PayoutException | undefined {
  if (cause === "resolved") return undefined;
  if (before?.kind === "contradicted") return before;
  return stage === "unknown" ? raiseException(before, "unknown", at) : undefined;
}

/** A payout in doubt for one more reason: the graver one counts, since the first. */
export function raiseException(
  before: PayoutException | undefined,
  kind: ExceptionKind,
  at: Date,
): PayoutException {
  const graver = before !== undefined && isMoreSevere(before.kind, kind) ? before.kind : kind;
  return { kind: graver, since: before?.since ?? at };
}

/** Whether one reason to look is graver than another. */
export function isMoreSevere(one: ExceptionKind, other: ExceptionKind): boolean {
  return severity[one] > severity[other];
}

const severity: Readonly<Record<ExceptionKind, number>> = { stuck: 0, unknown: 1, contradicted: 2 };

/** Whether an open payout should long be at its end; `submittedAt` is `undefined` in the queue. */
export function isOverdue(submittedAt: Date | undefined, now: Date, stuckAfterMs: number): boolean {
  return submittedAt !== undefined && now.getTime() - submittedAt.getTime() >= stuckAfterMs;
}
