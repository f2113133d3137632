import type { Progress } from "./progress.ts";
import type { StepCause } from "./timeline.ts";

/**
 * Why people have to look at a payout: its rail cannot tell, it is not at its end for longer than
 * its rail ever takes (or no rail can take it), or its rail contradicted itself.
 */
export type DoubtKind = "unknown" | "stuck" | "contradicted";

/** A doubt, and since when there has been one. */
export type Doubt = { readonly kind: DoubtKind; readonly since: Date };

/**
 * The doubt after a step. One about an outcome or a delay ends when the payout moves on; a
 * contradiction does not, also at the payout's end, until people have resolved it: what the rail
 * did and what was booked may differ.
 */
export function doubtAfterStep(
  before: Doubt | undefined,
  stage: Progress["stage"],
  cause: StepCause,
  at: Date,
): Doubt | undefined {
  if (cause === "resolved") return undefined;
  if (before?.kind === "contradicted") return before;
  return stage === "unknown" ? doubted(before, "unknown", at) : undefined;
}

/** A payout in doubt for one more reason: the graver one counts, since the first. */
export function doubted(before: Doubt | undefined, kind: DoubtKind, at: Date): Doubt {
  const graver = before !== undefined && isGraver(before.kind, kind) ? before.kind : kind;
  return { kind: graver, since: before?.since ?? at };
}

/** Whether one reason to look is graver than another. */
export function isGraver(one: DoubtKind, other: DoubtKind): boolean {
  return gravity[one] > gravity[other];
}

const gravity: Readonly<Record<DoubtKind, number>> = { stuck: 0, unknown: 1, contradicted: 2 };

/** Whether an open payout should long be at its end; `submittedAt` is `undefined` in the queue. */
export function isOverdue(submittedAt: Date | undefined, now: Date, stuckAfterMs: number): boolean {
  return submittedAt !== undefined && now.getTime() - submittedAt.getTime() >= stuckAfterMs;
}
