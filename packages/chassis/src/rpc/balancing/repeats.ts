import type { DescMethod } from "@bufbuild/protobuf";

export const triesMax = 3;
/** The pause before the second attempt. It doubles with each further attempt. */
const pauseMs = 50;
/** The maximum share of calls that may be repeated, so that repeats do not double an overload. */
const budgetShare = 0.1;
/**
 * The maximum number of repeats that can be saved up. It covers the calls in flight when one
 * endpoint dies.
 */
const budgetMax = 100;

/** The reason why a call got no response. */
export type NoAnswerReason =
  /** No connection was opened, so nothing was sent. */
  | "refused"
  /** The connection ended after the call was sent. */
  | "broken"
  /** The endpoint does not respond to anything. */
  | "hung";

/** Matches the names of RPCs that change nothing, by their verbs. */
const reads = /^(Find|Get|List|Resolve|Check|Compare|Describe|Export|Validate|Preview)/;

/**
 * Returns true if sending a call twice has the same effect as sending it once. This holds for
 * reads, and for mutations, which a service applies once for each `mutation.operation_id`. A stream
 * is never sent again.
 */
export function isRepeatable({ methodKind, name, input }: DescMethod): boolean {
  if (methodKind !== "unary") return false;
  return reads.test(name) || input.field.mutation?.message?.name === "Mutation";
}

/** Returns the pause after `tries` attempts, varied randomly by up to half. */
export function pauseBefore(tries: number, random: () => number): number {
  return pauseMs * 2 ** (tries - 1) * (0.5 + random());
}

/** Creates a budget that allows repeats while they are a small share of calls. */
export function createRepeatBudget() {
  let saved = budgetMax;
  return {
    called: () => {
      saved = Math.min(saved + budgetShare, budgetMax);
    },
    /** Takes one repeat from the budget. Returns false if the budget is used up. */
    take: () => {
      if (saved < 1) return false;
      saved -= 1;
      return true;
    },
  };
}
